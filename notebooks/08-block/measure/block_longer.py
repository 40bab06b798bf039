"""The feed-forward layer in language models trained four times as long as in `block_depth.py`.

The same models and the same text, for 1200 steps: four whole blocks; four without the feed-forward
layer; and twelve of those, which have as many parameters as four whole ones. Each variant's
learning rate is searched on two seeds used for nothing else, until the best has a worse one on each
side. Then it is trained on the five reported seeds, the same for all variants.
"""

from __future__ import annotations

from functools import partial

import torch
from block_depth import end
from torch import Tensor, nn

from coursebook.measuring import at_its_best, keep_record
from coursebook.measuring.stack import Stack
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


class Nothing(nn.Module):
    """Replaces a feed-forward layer: adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


def measured(quick: bool) -> dict[str, object]:
    """Each variant's search, its best rate, and the final loss of each run."""
    torch.set_num_threads(1)  # these networks are too small to share
    text = data.load("prose").text
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    parts: dict[str, dict[str, object]] = {}
    plan = (4, 2) if quick else (STEPS, WARMUP)
    searched, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    for name, (blocks, whole) in VARIANTS.items():
        choices = {} if whole else {"ffn": lambda width: Nothing()}
        make = partial(Stack, len(tokens), blocks, **choices)
        parts[name] = at_its_best(
            partial(end, make, ids, *plan), FIRST if quick else RATES, FIRST, searched, seeds
        )
        print(name, parts[name], flush=True)
    return {"steps": STEPS, "warmup": WARMUP, "seeds": SEEDS, "parts": parts}


if __name__ == "__main__":
    keep_record("block-longer", __doc__, measured, seed=SEEDS[0], judged_by=("block-ffn",))
