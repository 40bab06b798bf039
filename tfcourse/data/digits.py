"""Handwritten digits of 8 by 8 pixels: scikit-learn's, in a file of this package."""

from __future__ import annotations

from pathlib import Path

from tfcourse.data.corpus import Images
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded

#: The file; ``benchmarks/corpora`` writes it.
PATH = Path(__file__).parent / "shipped" / "digits.npz"

#: Number of images in each split, in the order in which they are assigned.
SPLITS = {"train": 1297, "validation": 200, "test": 300}


@embedded("digits")
def _make(split: str) -> Images:
    import numpy as np
    import torch

    with np.load(PATH) as file:
        inked, labels = (torch.from_numpy(file[name]) for name in ("pixels", "labels"))
    # Rescaled to 0 to 255 from 0 to 16, the number of inked points in a 4 x 4 cell.
    pixels = inked.double().mul(255 / 16).round().to(torch.uint8).unsqueeze(1)
    labels = labels.long()
    order = _dealt(labels.tolist())
    names = list(SPLITS)
    start = sum(SPLITS[name] for name in names[: names.index(split)])
    own = Draw(f"digits {split}").shuffled(order[start : start + SPLITS[split]])
    return Images(pixels[own], labels[own])


def _dealt(labels: list[int]) -> list[int]:
    """The images ordered so that any stretch has about equally many of each digit."""
    by_class: dict[int, list[int]] = {}
    for i in Draw("digits").shuffled(range(len(labels))):
        by_class.setdefault(labels[i], []).append(i)
    # The r-th of c pictures of a class goes (r + 1/2) / c of the way through all.
    placed = [
        ((2 * r + 1) / len(members), label, i)
        for label, members in by_class.items()
        for r, i in enumerate(members)
    ]
    return [i for _, _, i in sorted(placed)]
