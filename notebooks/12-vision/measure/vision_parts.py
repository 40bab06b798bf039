"""The vision transformer of `vision_digits.py` with one thing changed at a time; for chapter 12.

`positions` encodes patch positions in four ways: by learned vectors, by sinusoidal codes of the
index in the sequence of patches, by concatenated codes of row and column, or not at all. `patches`
uses squares of another size. `start` initialises the weights as the package's `ViT` and Hugging
Face's do, with a standard deviation of 0.02. Three seeds each.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from vision_digits import CHANGES, PATCH, RATES, SEEDS, SIDE, Pictures, trained, transformer

from coursebook.measuring import keep_record
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
    """A transformer with another position scheme."""
    model = transformer()
    model.positions = SCHEMES[scheme]()
    return model


def measured(quick: bool) -> dict[str, Any]:
    """Each change, with every seed."""
    torch.set_num_threads(1)  # a second one does not help networks this small
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
