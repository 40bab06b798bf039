"""How much of a long source one vector keeps, by its width, and what attention changes.

Large numbers in words, in pieces, German to English: up to ten groups of three digits, each but the
last followed by a word for its scale. Each group has five pieces in both languages, so a source of
two groups has 11 pieces and one of ten has 59. The digits are random: no group can be guessed from
another. The translators are LSTMs. Without attention their states have 16 to 128 numbers; those
with attention have no more parameters than those of 64, so their states are narrower. All read
fresh numbers, the number of groups log-uniform, at a rate and then at a tenth of it, each until the
losses on validation numbers, of all lengths and of the longest, are flat. Each kind has a rate of
its own, searched on another seed and in shorter trainings. Chapter 04's evidence shows the record.
About an hour on one thread.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from coursebook.measuring import bracketed, keep_record
from tfcourse import training
from tfcourse.batching import pad_pairs
from tfcourse.data.number_pieces import number_pieces
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.tokenizers import WordTokenizer

#: Words for a thousand, a million and so on: a German *Milliarde* is an English *billion*.
SCALES = {
    "de": "tausend million milliarde billion billiarde trillion trilliarde quadrillion "
    "quadrilliarde",
    "en": "thousand million billion trillion quadrillion quintillion sextillion septillion "
    "octillion",
}
#: The numbers of groups that are tested; training has all up to the last. Examples for each number
#: of groups, in validation and in the test.
GROUPS, VALIDATED, TESTED = (2, 4, 6, 8, 10), 30, 300
SEARCHED, SEEDS, MORE, BATCH = 400, (401, 402, 403), tuple(range(401, 409)), 64
#: All rates that may be tried, and those tried first; steps of a search.
RATES, FIRST, SEARCH_STEPS = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2), 400
#: Steps between validations, of the warm-up, and without a fall.
EVERY, WARM_UP, WAIT = 100, 100, 1000
#: A loss is flat if it falls by less than this share of it, or by less than this.
SHARE, LEAST = 0.02, 0.0002
#: The rates of a run, as shares of the first, and the steps at which each ends at the latest.
CUTS, CAPS = (1.0, 0.1), (6000, 9000)


class Language:
    """Large numbers as ids."""

    def __init__(self, name: str) -> None:
        scales = SCALES[name].split()
        # Groups without zeros and teens have five pieces each.
        kept = [n for n in range(1000) if n > 100 and n % 100 > 20 and n % 10]
        pieces = [" ".join(number_pieces(n, name)) for n in kept]
        self.tokens = WordTokenizer.train([*pieces, *scales])
        self.groups = [self.tokens.encode(text) for text in pieces]
        self.scales = [self.tokens.encode(word)[0] for word in scales]

    def __call__(self, groups: list[int]) -> list[int]:
        """The ids of the number with these groups, highest first."""
        ids = [*self.groups[groups[0]]]
        for left, group in zip(range(len(groups) - 2, -1, -1), groups[1:], strict=True):
            ids += [self.scales[left], *self.groups[group]]
        return ids


GERMAN, ENGLISH = Language("de"), Language("en")


def numbers(groups: int, count: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random numbers of so many groups: sources ``(count, S)`` and targets ``(count, T)``."""
    read, write = GERMAN.tokens, ENGLISH.tokens
    rows = torch.randint(len(GERMAN.groups), (count, groups), generator=draws).tolist()
    source, target, _ = pad_pairs(
        [([*GERMAN(row), read.end], [write.start, *ENGLISH(row), write.end]) for row in rows]
    )
    return source, target


class Numbers:
    """Endless batches of fresh numbers; those of a batch have as many groups."""

    def __init__(self, seed: int) -> None:
        self.draws = torch.Generator().manual_seed(seed)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            groups = int((GROUPS[-1] + 1.0) ** torch.rand((), generator=self.draws).item())
            yield numbers(groups, BATCH, self.draws)


class Arm(NamedTuple):
    """A translator's attention, the width of its states, and its seeds."""

    attention: str
    d_hidden: int
    seeds: tuple[int, ...] = SEEDS


ARMS = {
    "attention, 64": Arm("general", 57, MORE),
    "none, 64": Arm("none", 64),
    "none, 32": Arm("none", 32),
    "none, 128": Arm("none", 128),
    "none, 16": Arm("none", 16),
}


def made(arm: Arm, seed: int) -> Seq2Seq:
    """A fresh translator."""
    torch.manual_seed(seed)
    return Seq2Seq(Seq2SeqConfig(
        len(GERMAN.tokens), len(ENGLISH.tokens), d_model=32, d_hidden=arm.d_hidden, cell="lstm",
        attention=arm.attention,
    ))  # fmt: skip


def said(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Logits, and the words that were to be said. The sources of a batch are equally long."""
    source, target = batch
    return model(source, target[:, :-1]).logits, target[:, 1:]


def loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return training.label_smoothed_loss(*said(model, batch), ignore=0)


class Ended(Exception):
    """The training has ended at its last rate."""


class UntilFlat:
    """A rate that is cut when the validation losses are flat, and that ends the training then."""

    def __init__(self, peak: float) -> None:
        self.peak, self.cut, self.flat = peak, 0, False
        self.losses: list[float] = []
        self.longest: list[float] = []
        self.since = 0
        draws = torch.Generator().manual_seed(1000)
        self.pairs = [numbers(n + 1, VALIDATED, draws) for n in range(GROUPS[-1])]

    def rate(self, step: int) -> float:
        return self.peak * min(1.0, step / WARM_UP) * CUTS[self.cut]

    def validate(self, model: nn.Module) -> float:
        found = [loss(model, batch) for batch in self.pairs]
        now = sum(float(mean * n) for mean, n in found) / sum(int(n) for _, n in found)
        self.losses.append(round(now, 5))
        self.longest.append(round(float(found[-1][0]), 5))
        return now

    def on_step(self, step: int, *_: Any) -> None:
        if step % EVERY:
            return
        waited = len(self.losses) - self.since >= WAIT // EVERY
        self.flat = waited and all(map(flat, (self.losses, self.longest)))
        if not self.flat and step < CAPS[self.cut]:
            return
        if self.cut == len(CUTS) - 1:
            raise Ended
        self.cut, self.since = self.cut + 1, len(self.losses)


def flat(losses: list[float]) -> bool:
    """Whether the lowest loss has hardly fallen in the last steps."""
    wait = WAIT // EVERY
    before, now = min(losses[:-wait], default=math.inf), min(losses[-wait:])
    return before - now < max(SHARE * now, LEAST)


@torch.no_grad()
def right(model: nn.Module, groups: int, count: int) -> tuple[float, float]:
    """The shares of groups and of whole numbers whose every word is the likeliest."""
    batch = numbers(groups, count, torch.Generator().manual_seed(2000 + groups))
    logits, says = said(model, batch)
    good = logits.argmax(-1) == says  # (count, 6 groups): a group and what follows it
    each = good.unflatten(1, (groups, 6)).all(dim=2)
    return each.double().mean().item(), each.all(dim=1).double().mean().item()


def run(arm: Arm, rate: float, seed: int, steps: int, count: int) -> dict[str, Any]:
    """One training run: its validation losses, and the shares of ``count`` numbers right."""
    model, plan = made(arm, seed), UntilFlat(rate)
    with contextlib.suppress(Ended):
        training.fit(
            model, Numbers(seed), loss=loss, steps=steps, lr=plan.rate, seed=seed, device="cpu",
            validate=plan.validate, validate_every=min(EVERY, steps), on_step=plan.on_step,
        )  # fmt: skip
    shares = {n: right(model.eval(), n, count) for n in GROUPS}
    return {
        "seed": seed,
        "steps": min(EVERY, steps) * len(plan.losses),
        "flat": plan.flat and plan.cut == len(CUTS) - 1,
        "steps at the first rate": EVERY * (plan.since or len(plan.losses)),
        "validation loss": plan.losses,
        "of the longest": plan.longest,
        "groups right": {6 * n - 1: share for n, (share, _) in shares.items()},
        "numbers right": {6 * n - 1: share for n, (_, share) in shares.items()},
    }


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """All arms: their searches, and their runs at the best rate."""
    torch.set_num_threads(1)
    few, most, count = (2, 2, 4) if quick else (SEARCH_STEPS, CAPS[-1], TESTED)
    arms: dict[str, Any] = {}
    for name, arm in ARMS.items():

        def at(rate: float, seed: int, steps: int, name: str = name, arm: Arm = arm) -> Any:
            return once(
                f"{name}, {rate:g}, {seed}, {steps}", lambda: run(arm, rate, seed, steps, count)
            )

        def cost(rate: float, at: Callable[..., Any] = at) -> float:
            return at(rate, SEARCHED, few)["validation loss"][-1]

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        arms[name] = {
            **arm._asdict(),
            "parameters": sum(p.numel() for p in made(arm, 0).parameters()),
            "search": search,
            "rate": rate,
            "runs": [at(rate, seed, most) for seed in arm.seeds[: 1 if quick else None]],
        }
    return {
        "batch": BATCH, "most groups": GROUPS[-1], "steps of the search": SEARCH_STEPS,
        "seed of the search": SEARCHED, "most steps": CAPS, "wait": WAIT, "share": SHARE,
        "least": LEAST, "arms": arms,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record(
        "source-widths", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-fixed",), resumed=True
    )
