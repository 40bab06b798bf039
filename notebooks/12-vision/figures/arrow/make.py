"""Train the models of three figures: ``arrow.json`` and ``drawing.json``.

That of *arrow* and *occlusion* is the vision transformer of ``vision_arrows.py``, trained longer on
more images. That of *drawing* has the same size, and learns from letters and arrows as if drawn by
hand (``_strokes.py``). Weights are stored as whole multiples of ``step``, so that the files are
small. The figures compute with these rounded numbers, and so do the tests that compare them with
``tfcourse``. A few minutes on one thread::

    python notebooks/12-vision/figures/arrow/make.py              # both; or name one
    python -m coursebook.live                      # then draw the still pictures again
"""

from __future__ import annotations

import argparse
import dataclasses
import sys

import torch
from torch import Tensor

from coursebook import course, live
from coursebook.live.weights import fill, in_steps
from tfcourse import data
from tfcourse.data.arrows import CORNERS, LETTERS, TURNS, stamps
from tfcourse.models.vit import ViT
from tfcourse.runs.images import Scale

sys.path.insert(0, str(course.Lesson(course.root(), "12-vision").measure))
import _strokes  # noqa: E402
import vision_arrows  # noqa: E402

RATE = 2e-3
SIZE = vision_arrows.SIZES["cpu"]
#: For each model, the number of training images and of steps.
TRAINING = {"arrow": (40_000, 4000), "drawing": (120_000, 12_000)}
#: Number of new drawings that test the model of *drawing*, their seed, and how many are shown.
TESTED, TEST_SEED, SHOWN = 2000, 1, 6
#: The resolution at which weights are stored.
STEP = 1 / 128


def load(stored: dict) -> ViT:
    """The model as stored in the file: what the figures compute with."""
    return fill(vision_arrows.transformer(SIZE), stored)


def scaled(stored: dict, pixels: Tensor) -> Tensor:
    """Images 0 to 255 as the model reads them."""
    return (pixels.float() / 255 - stored["scale"]["mean"]) / stored["scale"]["deviation"]


@torch.no_grad()
def share_right(model: ViT, images: Tensor, labels: Tensor) -> float:
    return (model(images).logits.argmax(-1) == labels).double().mean().item()


def images_of(name: str, split: str, count: int, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Pixels, classes and the corners that the arrows point at."""
    if name == "drawing":
        return _strokes.drawn(count, 1000 + seed if split == "train" else TEST_SEED)
    corpus = data.load("arrows", split, examples=count)
    return *corpus.tensors(), corpus.examples.places


def tested(stored: dict, pixels: Tensor, labels: Tensor) -> dict:
    """The accuracy on new drawings, of this model and of the one of *arrow*."""
    stamped = live.stored("arrow")
    shares = {
        name: round(share_right(load(one), scaled(one, pixels), labels), 3)
        for name, one in (("right", stored), ("stamped", stamped))
    }
    return {"images": len(labels), **shares}


def examples() -> list[dict]:
    """The first of the drawings that the model is tested on, as lines."""
    drawings = _strokes.scenes(500, torch.Generator().manual_seed(TEST_SEED))
    return [
        {"lines": [[round(x, 1) for x in one] for one in lines[kept].tolist()],
         "label": label.item(), "corner": corner.item()}
        for lines, kept, label, corner in zip(*(one[:SHOWN] for one in drawings), strict=True)
    ]  # fmt: skip


def train(name: str, seed: int, count: int, steps: int) -> tuple[ViT, dict]:
    """A model, and what its file holds."""
    pixels, labels, _ = images_of(name, "train", count, seed)
    scale = Scale(pixels)
    torch.manual_seed(seed)
    model = vision_arrows.train(
        vision_arrows.transformer(SIZE), scale(pixels), labels,
        dataclasses.replace(SIZE, steps=steps), rate=RATE, seed=seed,
    )  # fmt: skip
    return model, {
        "about": f"The model {name} of arrow/make.py, trained on drawn images",
        "seed": seed,
        "sizes": {
            "image": SIZE.side, "patch": vision_arrows.PATCH, "layers": 2, "heads": 4,
            "width": SIZE.width, "eps": model.config.eps,
        },
        "scale": {"mean": scale.mean.item(), "deviation": scale.deviation.item()},
        "letters": list(LETTERS),
        "corners": list(CORNERS),
        "step": STEP,
        "weights": in_steps(model, STEP),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="arrow, drawing; by default both")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, help="default: see TRAINING")
    parser.add_argument("--images", type=int, help="default: see TRAINING")
    parser.add_argument("--dry", action="store_true", help="print only, store nothing")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name in asked.names or TRAINING:
        count, steps = TRAINING[name]
        model, stored = train(name, asked.seed, asked.images or count, asked.steps or steps)
        pixels, labels, places = images_of(name, "test", TESTED, asked.seed)
        images = scaled(stored, pixels)
        if name == "arrow":
            letters, arrows, dashes = (one.tolist() for one in stamps())
            stored["turns"] = list(TURNS)
            stored["stamps"] = {"letters": letters, "arrows": arrows, "dashes": dashes}
        else:
            stored["tested"] = tested(stored, pixels, labels)
            stored["examples"] = examples()
        for which, one in (("trained", model), ("rounded", load(stored))):
            found = vision_arrows.looked(one, images, labels, places)
            print(f"{name}, {which}: {share_right(one, images, labels):.3f} right", found)
        if not asked.dry:
            live.store(name, stored)


if __name__ == "__main__":
    main()
