"""The feed-forward layer in language models that read three times as much as in `block_parts.py`.

The same models and the same text, for 1200 steps: four whole blocks; four without the feed-forward
layer; and twelve of those, which have as many parameters as four whole ones. Two learning rates,
three seeds.
"""

from __future__ import annotations

import torch
from _measuring import keep_record
from block_parts import SEEDS, Nothing, Stack, runs

from tfcourse import data
from tfcourse.tokenizers import CharTokenizer

STEPS, WARMUP, RATES = 1200, 40, (3e-3, 1e-2)
#: Blocks, and whether they have the layer.
VARIANTS = {
    "all parts": (4, True),
    "no feed-forward layer": (4, False),
    "no feed-forward layer, three times the blocks": (12, False),
}


def measured(quick: bool) -> dict[str, object]:
    """Where each run ended, by variant and rate."""
    torch.set_num_threads(1)  # these nets are too small to share
    text = data.load("prose").text
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    results: dict[str, object] = {"steps": STEPS, "warmup": WARMUP}
    for name, (blocks, whole) in VARIANTS.items():
        choices = {} if whole else {"ffn": lambda width: Nothing()}
        for rate in RATES:
            settings = (4, rate, 2) if quick else (STEPS, rate, WARMUP)
            found = runs(
                lambda blocks=blocks, choices=choices: Stack(len(tokens), blocks, **choices),
                ids, settings, SEEDS[:1] if quick else SEEDS,
            )  # fmt: skip
            results.setdefault("parts", {}).setdefault(name, {})[f"{rate:g}"] = found
    return results


if __name__ == "__main__":
    keep_record("block-longer", __doc__, measured, seed=SEEDS[0])
