"""Is one vector too small, or is the network that uses it undertrained?

Translators of number words without attention, German to English in pieces, beside those with
additive attention and as many parameters, all trained for 500 steps on 8,000 pairs. Then those
without attention trained for 1,000 steps on 20,000 pairs, and the same with the vector between the
networks squeezed to 8 numbers while both networks stay the same. Each has a learning rate of its
own, searched on two seeds by the loss on the validation numbers, then three other seeds. Chapter
04's evidence shows the record. Fifteen minutes on one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from coursebook import course

sys.path.insert(0, str(course.Lesson(course.root(), "11-encoder-decoder").measure))

from translators import CLASSES, Corpus, corpus, judged, loss_of

from coursebook.measuring import bracketed, keep_record, mean_end
from tfcourse import training
from tfcourse.batching import Batches, pad_pairs
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig

SEARCHED, SEEDS, BATCH = (200, 201), (30, 31, 32), 64
#: All rates that may be tried, and those tried first.
RATES, FIRST = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2, 3e-2)


class Arm(NamedTuple):
    """A way to translate; ``between`` is the size of the squeezed vector, if it is squeezed."""

    attention: str
    d_hidden: int
    steps: int
    pairs: int
    between: int | None = None


ARMS = {
    "no attention": Arm("none", 64, 500, 8000),
    "additive attention": Arm("additive", 45, 500, 8000),
    "no attention, long": Arm("none", 64, 1000, 20_000),
    "no attention, long, 8 between": Arm("none", 64, 1000, 20_000, 8),
}


class Squeezed(Seq2Seq):
    """A translator with networks of the usual width, and only ``size`` numbers between them."""

    def __init__(self, config: Seq2SeqConfig, size: int) -> None:
        super().__init__(config)
        Dh = config.d_hidden
        self.squeeze = nn.Parameter(torch.randn(2 * Dh, size) * (2 * Dh) ** -0.5)
        self.W_s = nn.Parameter(torch.randn(1, 1, size, Dh) * size**-0.5)

    def _join_directions(self, last: Tensor) -> Tensor:
        both = torch.cat([last[0::2], last[1::2]], dim=-1) @ self.squeeze  # (1, B, size)
        return torch.tanh(both @ self.W_s[0] + self.b_s[0])


def made(sizes: tuple[int, int], arm: Arm, seed: int) -> Seq2Seq:
    """A fresh translator."""
    torch.manual_seed(seed)
    config = Seq2SeqConfig(*sizes, d_model=32, d_hidden=arm.d_hidden, attention=arm.attention)
    return Seq2Seq(config) if arm.between is None else Squeezed(config, arm.between)


def run(corpus: Corpus, arm: Arm, rate: float, seed: int, steps: int) -> dict[str, Any]:
    """One training run: its validation loss, and the fraction of correct numbers."""
    model, learned = made(corpus.sizes, arm, seed), corpus.apart["train"]
    batches = Batches(
        learned, BATCH, collate=pad_pairs, seed=seed, lengths=lambda pair: len(pair[0])
    )
    training.fit(
        model, batches, loss=loss_of("no attention"), steps=steps,
        lr=training.cosine(rate, steps, warmup=steps // 10), seed=seed, device="cpu",
    )  # fmt: skip
    model.eval()
    loss, _ = judged("no attention", model, corpus.apart["validation"])
    _, right = judged("no attention", model, corpus.apart["test"])
    _, known = judged("no attention", model, learned[:1000])
    return {
        "seed": seed,
        "validation loss": round(loss, 5),
        "right": right.double().mean().item(),
        "right in training": known.double().mean().item(),
        "right by pieces": {
            name: right[(corpus.pieces >= low) & (corpus.pieces <= high)].double().mean().item()
            for name, (low, high) in CLASSES.items()
        },
    }


def searched_and_run(
    name: str, arm: Arm, quick: bool, once: Callable[[str, Callable[[], Any]], Any]
) -> dict[str, Any]:
    """An arm's search, and its runs at the best rate."""
    steps, pairs = (4, corpus(300)) if quick else (arm.steps, corpus(arm.pairs))
    rates, first = (FIRST[:1], FIRST[:1]) if quick else (RATES, FIRST)

    def at(rate: float, seed: int) -> dict[str, Any]:
        return once(f"{name}, {rate:g}, {seed}", lambda: run(pairs, arm, rate, seed, steps))

    def end(rate: float, seed: int) -> float:
        return at(rate, seed)["validation loss"]

    rate, search = bracketed(rates, first, mean_end(end, SEARCHED[:1] if quick else SEARCHED))
    return {
        **arm._asdict(),
        "parameters": sum(p.numel() for p in made(pairs.sizes, arm, 0).parameters()),
        "search": search,
        "rate": rate,
        "runs": [at(rate, seed) for seed in (SEEDS[:1] if quick else SEEDS)],
    }


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """All arms."""
    torch.set_num_threads(1)
    arms = {name: searched_and_run(name, arm, quick, once) for name, arm in ARMS.items()}
    return {"batch": BATCH, "seeds of the search": SEARCHED, "arms": arms}


if __name__ == "__main__":
    keep_record(
        "bottleneck", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-fixed",), resumed=True
    )
