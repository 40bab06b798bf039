"""When a small GPT learns to continue a repeating sequence.

Rows of 33 tokens, of 16 kinds: 4 to 12 different ones in random order, repeated. From the second
repetition on, the next token is predictable. An induction head does it: it looks for what followed
this token before, for which a head in the first layer must have told each token its predecessor.
Positions are Shaw's, clipped at distance 2: a head can see its neighbour, but no period.

Two layers of two heads, three seeds each. In `"head given"` the first head of the first layer
starts as one that attends to the previous token; all its weights can change. Every 50 steps: the
loss on the repeated part, and the best head's fraction of weight on the previous token, and on what
followed the same token before.

`"learned positions"` can use periods too, and is trained without one of them: the record says how
much it predicts at that period and at another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.positions import RelativePositions
from tfcourse.training import NextToken, constant, fit

SEEDS, STEPS, BATCH, RATE, WARMUP = (0, 1, 2), 1500, 16, 5e-3, 30
V, T, HEADS, WIDTH = 16, 32, 2, 64
PERIODS, LEFT_OUT = range(4, 13), 8
UNKNOWN = -100  # marks what is not predictable yet


def repeated(n: int, periods: Sequence[int], random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Repeating rows, ``(n, T)``, and what follows each token where that is predictable."""
    period = torch.tensor(periods)[torch.randint(len(periods), (n, 1), generator=random)]
    different = torch.rand(n, V, generator=random).argsort(1)
    rows = different.gather(1, torch.arange(T + 1) % period)
    return rows[:, :-1], rows[:, 1:].masked_fill(torch.arange(T) < period, UNKNOWN)


class Endless:
    """An endless stream of batches of new rows."""

    def __init__(self, seed: int, periods: Sequence[int] = PERIODS) -> None:
        self.random, self.periods = torch.Generator().manual_seed(seed), periods

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            yield repeated(BATCH, self.periods, self.random)


def made(seed: int, positions: str) -> GPT:
    """A GPT with all its matrices reinitialised."""
    torch.manual_seed(seed)
    model = GPT(GPTConfig(V, T, 2, HEADS, WIDTH, d_ff=WIDTH, positions=positions))
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=WIDTH**-0.5)
    return model


def neighbourly(seed: int, given: bool) -> GPT:
    """A GPT that can see its neighbours, and perhaps attends to the previous token."""
    model = made(seed, "relative")
    K = WIDTH // HEADS
    for block in model.blocks:
        block.attention.positions = RelativePositions(K, max_distance=2)
    if given:
        first = model.blocks[0].attention
        with torch.no_grad():  # a query that is the same for all tokens and prefers distance -1
            first.W_Q[:, :K] = 0.0
            first.b_QKV[:K] = 1.0
            first.positions.a[1] = 1.0  # of -2, -1, 0, 1, 2
    return model


@torch.no_grad()
def shares(model: GPT, rows: Tensor, period: int) -> tuple[Tensor, Tensor]:
    """For each head, ``(L, H)``: weight on the previous token, and on what followed this one."""
    maps = torch.stack(model(rows, return_weights=True).maps["self"])  # (L, B, H, T, T)
    query, key = torch.arange(T)[:, None], torch.arange(T)
    followed = ((query - key + 1) % period == 0) & (key < query)
    before = maps.diagonal(-1, -2, -1).mean((1, 3))
    return before, (maps * followed).sum(-1)[..., period:].mean((1, 3))


def judge(model: GPT) -> dict[str, float]:
    """The loss and the best head's weights, on rows of the longest period."""
    rows, following = repeated(64, PERIODS[-1:], torch.Generator().manual_seed(5))
    logits = model(rows).logits.transpose(1, 2)
    before, after = shares(model, rows, PERIODS[-1])
    return {
        "loss": round(float(F.cross_entropy(logits, following, ignore_index=UNKNOWN)), 3),
        "token before": round(float(before.max()), 3),
        "what followed": round(float(after.max()), 3),
    }


def learned(model: GPT, rows: Endless, seed: int, steps: int) -> dict:
    """Train the model, and return the measurements."""
    history = fit(
        model, rows, loss=NextToken(ignore=UNKNOWN), steps=steps, lr=constant(RATE, WARMUP),
        device="cpu", seed=seed, validate=judge, validate_every=50,
    )  # fmt: skip
    return history.validation


@torch.no_grad()
def foretold(model: GPT, period: int) -> float:
    """The fraction of predictable tokens that are predicted."""
    rows, following = repeated(64, [period], torch.Generator().manual_seed(5))
    right = model(rows).logits.argmax(-1) == following
    return round(float(right[following >= 0].double().mean()), 3)


def by_table(seed: int, steps: int) -> dict:
    """A GPT with learned positions, which never sees one of the periods."""
    periods = [period for period in PERIODS if period != LEFT_OUT]
    model = made(seed, "learned")
    curve = learned(model, Endless(seed, periods), seed, steps)
    return {
        "right, period 10": foretold(model, 10),
        f"right, period {LEFT_OUT}, left out": foretold(model, LEFT_OUT),
        "what followed": curve["what followed"][-1],
    }


def measured(quick: bool) -> dict:
    """All curves, and whether they end with the sequences learned."""
    torch.set_num_threads(1)  # these networks are too small to share
    steps, seeds = (4, SEEDS[:1]) if quick else (STEPS, SEEDS)
    return {
        name: [learned(neighbourly(seed, given), Endless(seed), seed, steps) for seed in seeds]
        for name, given in (("head given", True), ("from nothing", False))
    } | {"learned positions": [by_table(seed, min(steps, 800)) for seed in seeds]}


if __name__ == "__main__":
    keep_record("induction", __doc__, measured, seed=SEEDS[0])
