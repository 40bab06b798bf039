"""The feed-forward layer in language models that read three times as much as in `block_parts.py`.

The same models and the same text, for 1200 steps: four whole blocks; four without the feed-forward
layer; and twelve of those, which have as many parameters as four whole ones. Each variant searches
its own learning rate, on two seeds that are used for nothing else, until the best has a worse one
on each side. Then it is trained on the five seeds that are quoted, the same for all variants.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch
from _measuring import bracketed, keep_record
from block_parts import Nothing, Stack, runs

from tfcourse import data
from tfcourse.tokenizers import CharTokenizer

STEPS, WARMUP = 1200, 40
RATES, FIRST = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1), (1e-2, 3e-2)
SEARCHED, SEEDS = (140, 141), (40, 41, 42, 43, 44)
#: Blocks, and whether they have the layer.
VARIANTS = {
    "all parts": (4, True),
    "no feed-forward layer": (4, False),
    "no feed-forward layer, three times the blocks": (12, False),
}


def measured(quick: bool) -> dict[str, object]:
    """Each variant's search, its best rate, and where each run ended."""
    torch.set_num_threads(1)  # these nets are too small to share
    text = data.load("prose").text
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    parts: dict[str, dict[str, object]] = {}
    for name, (blocks, whole) in VARIANTS.items():
        choices = {} if whole else {"ffn": lambda width: Nothing()}
        make = partial(Stack, len(tokens), blocks, **choices)

        def ends(rate: float, seeds: tuple, make: Callable = make) -> list:
            settings = (4, rate, 2) if quick else (STEPS, rate, WARMUP)
            return runs(make, ids, settings, seeds[:1] if quick else seeds)["ends"]

        def cost(rate: float, ends: Callable = ends) -> float:
            found = ends(rate, SEARCHED)
            return math.inf if None in found else sum(found) / len(found)

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        parts[name] = {"search": search, "rate": rate, "ends": ends(rate, SEEDS)}
        print(name, parts[name], flush=True)
    return {"steps": STEPS, "warmup": WARMUP, "seeds": SEEDS, "parts": parts}


if __name__ == "__main__":
    keep_record("block-longer", __doc__, measured, seed=SEEDS[0], judged_by=("block-ffn",))
