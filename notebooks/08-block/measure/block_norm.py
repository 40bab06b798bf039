"""Stacks with and without layer norm, both initialised as GPT-2 does.

Xavier's weights, which `block_training.py` gives to both, make a stack of twelve blocks without
norm start from a loss of hundreds of nats. Here the weights are small and scaled, GPT-2's rule, and
all else is as there: the text, the width, 120 steps of which 20 are warm-up, and a learning rate
for each variant, searched on two seeds until the best has a worse one on each side. Twelve blocks
are also trained for 600 steps, of which 50 are warm-up, with a search of their own. The five seeds
are new, and the same for both variants. About ten minutes on one thread.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from block_training import SIZES, as_in_gpt2, no_norm, trained

from coursebook.measuring import keep_record
from coursebook.measuring.stack import Stack, characters
from tfcourse.layers import LayerNorm

SEARCHED, SEEDS = (152, 153), (55, 56, 57, 58, 59)
#: Numbers of blocks, steps and steps of warm-up.
PLANS = ((4, 120, 20), (12, 120, 20), (12, 600, 50))
NORMS = {"norm before": LayerNorm, "no norm": no_norm}


def measured(quick: bool) -> dict[str, Any]:
    """Each variant's search, its best rate, and the final loss of each run."""
    torch.set_num_threads(1)  # these networks are too small to share
    size = SIZES["quick" if quick else "cpu"]
    tokens, ids = characters(size.text, quick)
    search, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    arms = {}
    for blocks, steps, warmup in PLANS[: 1 if quick else None]:
        plan = (2, 2) if quick else (steps, warmup)
        for name, make_norm in NORMS.items():
            make = partial(Stack, len(tokens), blocks, make_norm=make_norm, init=as_in_gpt2)
            arm = f"{blocks} {name}, {steps} steps"
            arms[arm] = trained(make, ids, plan, search, seeds)
            print(arm, arms[arm]["ends"], flush=True)
    return {
        "settings": {"plans": PLANS, "seeds searched": SEARCHED, "seeds": SEEDS},
        "arms": arms,
    }


if __name__ == "__main__":
    keep_record("block-norm", __doc__, measured, seed=SEEDS[0], judged_by=("block-norm",))
