"""Train the model of the figures *arrow* and *occlusion*: ``book/figures/arrow.json``.

It is the vision transformer of ``vision_arrows.py``, trained longer on more images. Weights are
stored as whole multiples of ``step``, so that the file is small, and the letters, arrows and dashes
as they are drawn in the corpus. The figures compute with these rounded numbers, and so do the tests
that compare them with ``tfcourse``. A minute or two on one thread::

    python benchmarks/figure_arrow.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch

from coursebook import course
from tfcourse import data
from tfcourse.data.arrows import CORNERS, LETTERS, TURNS, stamps
from tfcourse.models.vit import ViT
from tfcourse.runs.images import Scale

sys.path.insert(0, str(Path(__file__).resolve().parent))
import vision_arrows  # noqa: E402

EXAMPLES, STEPS, RATE = 40_000, 4000, 2e-3
#: How finely weights are stored.
STEP = 1 / 128


@torch.no_grad()
def load(stored: dict) -> ViT:
    """The model as the file holds it: what the figures compute with."""
    model = vision_arrows.transformer(len(stored["letters"]))
    for name, p in model.named_parameters():
        p.copy_(torch.tensor(stored["weights"][name]).view_as(p) * stored["step"])
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    seed, steps = vars(parser.parse_args()).values()
    torch.set_num_threads(1)
    corpora = {split: data.load("arrows", split, examples=EXAMPLES) for split in ("train", "test")}
    pixels, labels = corpora["train"].tensors()
    scale = Scale(pixels)
    torch.manual_seed(seed)
    model = vision_arrows.train(
        vision_arrows.transformer(len(LETTERS)), scale(pixels), labels,
        rate=RATE, steps=steps, seed=seed,
    )  # fmt: skip
    letters, arrows, dashes = stamps()
    stored = {
        "about": "A vision transformer trained by benchmarks/figure_arrow.py on drawn images",
        "seed": seed,
        "sizes": {
            "image": vision_arrows.SIDE, "patch": vision_arrows.PATCH, "layers": 2, "heads": 4,
            "width": vision_arrows.WIDTH, "eps": model.config.eps,
        },
        "scale": {"mean": scale.mean.item(), "deviation": scale.deviation.item()},
        "letters": list(LETTERS),
        "corners": list(CORNERS),
        "turns": list(TURNS),
        "stamps": {
            "letters": letters.tolist(), "arrows": arrows.tolist(), "dashes": dashes.tolist(),
        },
        "step": STEP,
        "weights": {
            name: (p.detach() / STEP).round().int().tolist() for name, p in model.named_parameters()
        },
    }  # fmt: skip
    path = course.root() / "book" / "figures" / "arrow.json"
    path.write_text(json.dumps(stored, separators=(",", ":")) + "\n", "utf-8")
    images, labels = corpora["test"].tensors()
    places = corpora["test"].examples.places
    for name, one in (("trained", model), ("rounded", load(stored))):
        with torch.no_grad():
            right = (one(scale(images)).logits.argmax(-1) == labels).double().mean().item()
        found = vision_arrows.looked(one, scale(images), labels, places)
        print(f"{name}: {right:.3f} right", found)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    main()
