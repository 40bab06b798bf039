"""The vision transformer of `vision_digits.py` with one thing changed at a time; for chapter 12.

`positions` tells patches their places in four ways: by learned vectors, by the sinusoidal code of
the place in the row of all patches, by the codes of row and column side by side, or not at all.
`patches` cuts pictures into squares of another side. `start` draws the weights as the package's
`ViT` and Hugging Face's do, with a deviation of 0.02. Three seeds each.
"""

from __future__ import annotations

from typing import Any

import torch
from _measuring import keep_record
from torch import Tensor
from vision_digits import CHANGES, PATCH, RATES, SEEDS, SIDE, Pictures, trained, transformer

from tfcourse.models.vit import ViT
from tfcourse.positions import Positions, SinusoidalPositions

PATCHES = (1, 4, 8)


class RowsAndColumns(Positions):
    """The sinusoidal codes of a patch's row and column, half the width each; none for [CLS]."""

    def __init__(self, across: int, d_model: int) -> None:
        super().__init__()
        codes = SinusoidalPositions(d_model // 2).table(torch.arange(across))
        rows = codes[:, None].expand(-1, across, -1)
        both = torch.cat([rows, rows.transpose(0, 1)], dim=-1).flatten(0, 1)  # (N, D)
        self.register_buffer("P", torch.cat([torch.zeros(1, d_model), both]))

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x + self.P


SCHEMES = {
    "flat, sinusoidal": lambda: SinusoidalPositions(CHANGES["model.d_model"]),
    "row and column": lambda: RowsAndColumns(SIDE // PATCH, CHANGES["model.d_model"]),
    "none": Positions,
}


def told(scheme: str) -> ViT:
    """A transformer that is told places in another way."""
    model = transformer()
    model.positions = SCHEMES[scheme]()
    return model


def measured(quick: bool) -> dict[str, Any]:
    """Each change, with every seed."""
    torch.set_num_threads(1)  # nets this small only wait for a second one
    pictures, seeds = Pictures(), SEEDS[:1] if quick else SEEDS
    steps = 2 if quick else CHANGES["training.steps"]
    settings = {"steps": steps, "rate": RATES["ViT"]}
    return {
        "positions": {
            scheme: trained(pictures, lambda scheme=scheme: told(scheme), seeds, **settings)
            for scheme in SCHEMES
        },
        "patches": {
            str(patch): trained(pictures, lambda patch=patch: transformer(patch), seeds, **settings)
            for patch in PATCHES
        },
        "start": trained(pictures, lambda: transformer(wide=False), seeds, **settings),
    }


if __name__ == "__main__":
    keep_record("vision-parts", __doc__, measured, seed=SEEDS[0])
