"""Starts that two comparisons of `block_training.py` and `block_depth.py` lacked.

- `order`: twelve blocks with the norm before and after each part, from small weights that are not
  scaled by the depth, with and without warm-up. All else is as in `block_training.py`.
- `path`: twelve blocks without the residual path from a start made for them, in which each block
  passes on what it is given; beside them twelve with the path, from Xavier's weights and at the
  rate that `block_depth.py` found. All else is as there.

The seeds are new, and the same for both variants of a comparison. About six minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import block_depth
import torch
from block_training import SIZES, as_in_gpt2, trained
from torch import nn

from coursebook.measuring import at_its_best, keep_record
from coursebook.measuring.stack import Stack, WithoutResidual
from tfcourse import data
from tfcourse.layers import Block
from tfcourse.tokenizers import CharTokenizer

SEARCHED, SEEDS = (154, 155), (60, 61, 62, 63, 64)
BLOCKS = 12
#: The rate that `block_depth.py` found for twelve blocks with the path.
RATE = 3e-2
#: What the identity is multiplied by in W_Q and W_K. Larger weights leave a token to itself.
SHARP = 2.0


@torch.no_grad()
def passing(blocks: nn.ModuleList) -> None:
    """Set the blocks' matrices so that each passes on its input, nearly unchanged.

    A token attends to itself, because its query and key are alike and large. The first half of the
    hidden units holds x and -x, so that the ReLU loses nothing; the other half adds nothing yet.
    """
    for block in blocks:
        attention, ffn = block.attention, block.ffn
        same = torch.eye(len(attention.W_Q))
        for W, size in (("W_Q", SHARP), ("W_K", SHARP), ("W_V", 1.0), ("W_O", 1.0)):
            getattr(attention, W).copy_(size * same)
        half = 2 * len(same)
        ffn.W_1[:, :half] = torch.cat([same, -same], dim=1)
        ffn.W_2.zero_()
        ffn.W_2[:half] = torch.cat([same, -same])


def measured(quick: bool, once: Callable[..., Any]) -> dict[str, Any]:
    """Each variant's search, its best rate, and the final loss of each run."""
    torch.set_num_threads(1)  # these networks are too small to share
    size = SIZES["quick" if quick else "cpu"]
    text = data.load(size.text, "train").text[: 10_000 if quick else None]
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    search, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    blocks = 1 if quick else BLOCKS
    small = partial(as_in_gpt2, scaled=False)
    found: dict[str, Any] = {"order": {}, "path": {}}
    for order in ("pre", "post"):
        for warmup in (0, size.long_warmup):
            make = partial(Stack, len(tokens), blocks, order, init=small)
            name, plan = f"{blocks} small {order} {warmup}", (size.steps, warmup)
            found["order"][name] = once(name, partial(trained, make, ids, plan, search, seeds))
    plan = (2, 1) if quick else (block_depth.STEPS, block_depth.WARMUP)
    for name, kind, init, rates in (
        ("with", Block, None, (RATE,)),
        ("without", WithoutResidual, passing, block_depth.RATES),
    ):
        make = partial(Stack, len(tokens), blocks, kind=kind, init=init)
        first = rates if quick or len(rates) == 1 else block_depth.FIRST
        work = partial(
            at_its_best, partial(block_depth.end, make, ids, *plan),
            first if quick else rates, first, search, seeds,
        )  # fmt: skip
        found["path"][f"{blocks} {name}"] = once(name, work)
    return {"settings": {"seeds searched": SEARCHED, "seeds": SEEDS, "sharp": SHARP}, **found}


if __name__ == "__main__":
    keep_record(
        "block-starts", __doc__, measured, seed=SEEDS[0],
        judged_by=("block-prepost", "block-residual"), resumed=True,
    )  # fmt: skip
