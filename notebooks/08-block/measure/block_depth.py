"""Deeper and deeper language models, with the residual path and without it.

All learn the characters of the same prose, read once: every batch is new, so the loss of a step is
a loss on text never seen, and a run is judged by the mean of its last steps. One to twelve blocks
are stacked, with the path and without. Each variant searches its own learning rate, on two seeds
that are used for nothing else, until the best has a worse one on each side. Then it is trained on
the five seeds that are quoted. Gradients are not clipped, and a run whose loss is no longer finite
is told as null.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from coursebook.measuring import at_its_best, keep_record
from coursebook.measuring.stack import HEADS, WIDTH, WINDOW, Stack, WithoutResidual, characters
from tfcourse.batching import Batches, Windows
from tfcourse.layers import Block
from tfcourse.training import NextToken, NotFinite, adamw, constant, fit

SEARCHED, SEEDS = (150, 151), (50, 51, 52, 53, 54)
RATES, FIRST = (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1), (1e-3, 3e-3)
BATCH, STEPS, WARMUP, BLOCKS = 16, 300, 40, (1, 2, 4, 8, 12)
#: Number of last steps whose mean loss judges a run.
LAST = 60


def end(
    make: Callable[[], Stack], ids: Tensor, steps: int, warmup: int, rate: float, seed: int
) -> float | None:
    """Where a run ends: the mean of its last losses; ``None`` if it was lost."""
    torch.manual_seed(seed)
    model = make()
    batches = Batches(Windows(ids, WINDOW), BATCH, seed=seed, drop_last=True)
    with contextlib.suppress(NotFinite):
        history = fit(
            model, batches, loss=NextToken(), steps=steps, lr=constant(rate, warmup),
            optimiser=adamw(), clip=None, device="cpu", seed=seed,
        )  # fmt: skip
        last = history.loss[-LAST:]
        return round(sum(last) / len(last), 4)
    return None


def measured(quick: bool) -> dict[str, object]:
    """With each number of blocks: both searches, the best rates, and where each run ended."""
    torch.set_num_threads(1)  # these nets are too small to share
    tokens, ids = characters("prose", quick)
    plan = (2, 1) if quick else (STEPS, WARMUP)
    depth = {}
    for blocks in BLOCKS[: 1 if quick else None]:
        for name, kind in (("with", Block), ("without", WithoutResidual)):
            make = partial(Stack, len(tokens), blocks, kind=kind)
            arm = at_its_best(
                partial(end, make, ids, *plan), FIRST if quick else RATES, FIRST, SEARCHED, SEEDS
            )
            parameters = sum(p.numel() for p in make().parameters())
            depth[f"{blocks} {name}"] = {"parameters": parameters, **arm}
            print(f"{blocks} {name}", arm, flush=True)
    return {
        "task": {
            "characters": len(ids), "vocabulary": len(tokens), "window": WINDOW, "batch": BATCH,
            "width": WIDTH, "heads": HEADS,
        },
        "steps": STEPS, "warmup": WARMUP, "steps judged": LAST, "seeds": SEEDS, "depth": depth,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("block-depth", __doc__, measured, seed=SEEDS[0], judged_by=("block-residual",))
