"""Wider stacks with and without layer norm, on real text, both initialised as GPT-2 does.

The stacks of `block_norm.py` are 32 wide and read the course's prose. These have twelve blocks, are
256 wide, and read windows of 64 characters of WikiText-2, four a step, for 300 steps of which 50
are warm-up. Each variant searches its learning rate among five on two seeds, and the best has a
worse one on each side. The five seeds are new, and the same for both variants. About 50 minutes on
one idle thread; each finished run is kept in ``--keep FOLDER``. The record ``block-wider-first`` is
of the run before, which had the seeds 65 to 69 and no rates of 0.0002 and 0.0005.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from block_norm import NORMS
from block_training import SIZES, as_in_gpt2, ended, losses

from coursebook.measuring import at_its_best, keep_record
from coursebook.measuring.stack import Stack, characters

SEARCHED, SEEDS = (156, 157), (170, 171, 172, 173, 174)
BLOCKS, WIDTH, HEADS, WINDOW, BATCH, PLAN = 12, 256, 4, 64, 4, (300, 50)
#: Every variant is tried with all of these rates, whose steps are at most a factor of two: a
#: coarser grid could miss a rate by more than the variants differ.
RATES = FIRST = (1e-4, 2e-4, 3e-4, 5e-4, 1e-3)


def measured(quick: bool, once: Callable[..., Any]) -> dict[str, Any]:
    """Each variant's search, its best rate, and the final loss of each run."""
    torch.set_num_threads(1)
    tokens, ids = characters(SIZES["quick" if quick else "cuda"].text, quick)
    search, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    plan = (2, 2) if quick else PLAN
    arms = {}
    for name, make_norm in NORMS.items():
        make = partial(
            Stack, len(tokens), 1 if quick else BLOCKS, make_norm=make_norm, init=as_in_gpt2,
            width=WIDTH, heads=HEADS, window=WINDOW,
        )  # fmt: skip

        def end(rate: float, seed: int, name: str = name, make: Callable = make) -> float | None:
            def run() -> float | None:
                curve = losses(make, ids, rate, plan, seed, window=WINDOW, batch=BATCH)
                return ended(curve, plan[0])

            return once(f"{name}-{rate:g}-{seed}", run)

        arms[name] = at_its_best(end, FIRST if quick else RATES, FIRST, search, seeds)
    return {
        "settings": {
            "text": SIZES["cuda"].text, "blocks": BLOCKS, "width": WIDTH, "heads": HEADS,
            "window": WINDOW, "batch": BATCH, "steps": PLAN[0], "warmup": PLAN[1],
            "seeds searched": SEARCHED, "seeds": SEEDS,
        },
        "arms": arms,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record(
        "block-wider", __doc__, measured, seed=SEEDS[0], judged_by=("block-norm",), resumed=True
    )
