"""MNIST: a small vision transformer, a linear model and a small convolutional network.

The transformer is that of the preset ``mnist-vit``. The others are trained like it: the same images
in the same batches, the same optimiser and number of steps, and random shifts of each image by up
to two pixels. A linear model may do better without shifts, so it is trained both ways. Each
searches its learning rate on two seeds that are used for nothing else, by the mean validation loss
of runs a third as long, until the best has a worse one on each side. Three paired seeds are quoted,
on the test images. Chapter 12 shows the record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from coursebook.measuring import bracketed, keep_record, mean_end, short
from tfcourse import presets, training
from tfcourse.flops import count_parameters
from tfcourse.models.common import Output
from tfcourse.runs import prepare
from tfcourse.runs.running import schedule

PRESET, RECORD = "mnist-vit", "mnist-vit-cpu"
CLASSES, SIDE = 10, 28
SEARCHED, SEEDS = (120, 121), (20, 21, 22)
#: How many times as long as a run of the search a quoted one is.
LONGER = 3
#: Factors of two around the preset's rate, and the first to try.
RATES, FIRST = tuple(1e-3 * 2**k for k in range(-3, 8)), (1e-3, 2e-3)
#: Test errors in LeCun et al. 1998, section III, in per cent; a ViT's accuracy from the README of
#: s-chh/PyTorch-Scratch-Vision-Transformer-ViT, commit 01a7c83 (patch 4, 6 layers, 100 epochs).
PUBLISHED = {
    "linear, LeCun et al. 1998": {"error, %": 12.0},
    "linear, deslanted, LeCun et al. 1998": {"error, %": 8.4},
    "LeNet-5, LeCun et al. 1998": {"error, %": 0.95},
    "small ViT, s-chh": {"accuracy, %": 99.5},
}


class Plain(nn.Module):
    """Layers one after another, with the course's output."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, images: Tensor) -> Output:
        return Output(self.layers(images))


def linear(side: int) -> Plain:
    """A weight for each pixel and class."""
    return Plain(nn.Flatten(), nn.Linear(side**2, CLASSES))


def convolutional(side: int) -> Plain:
    """Two convolutions of 3 by 3, each with a maximum over 2 by 2, and a linear output layer."""
    return Plain(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * (side // 4) ** 2, CLASSES),
    )  # fmt: skip


#: Each model, or None for the preset's, and what it changes in the preset.
MODELS: dict[str, tuple[Callable[[int], nn.Module] | None, dict[str, Any]]] = {
    "ViT": (None, {}),
    "convolutional": (convolutional, {}),
    "linear": (linear, {}),
    "linear, unshifted": (linear, {"training.shift": 0}),
}


def trained(name: str, changes: dict[str, Any], *, judged: bool) -> dict[str, Any]:
    """One run: the validation loss at its end and, if ``judged``, the accuracy on the test."""
    make, own = MODELS[name]
    preset = presets.load(PRESET, changes | own)
    task, t = prepare(preset), preset.training
    torch.manual_seed(t.seed)
    model = make(SIDE) if make else task.model
    history = training.fit(
        model, task.batches, loss=task.loss, steps=t.steps, lr=schedule(preset),
        optimiser=training.adamw(t.weight_decay, t.betas, t.eps), clip=t.clip or None,
        device="cpu", seed=t.seed, validate=task.validate, validate_every=t.steps,
    )  # fmt: skip
    found = {
        "seed": t.seed, "parameters": count_parameters(model),
        "validation loss": history.validation["loss"][-1],
    }  # fmt: skip
    return found | ({"evaluation": task.judge(model)} if judged else {})


def measured(quick: bool, once: Callable[..., Any]) -> dict[str, Any]:
    """Each model's search, and its runs at the best rate."""
    torch.set_num_threads(1)  # models this small gain little from a second one
    few = {
        "data.train": "test", "data.validation": "test", "data.held_out": 500,
        "training.steps": 2 * LONGER,
    }  # fmt: skip
    changes = short(**few) if quick else {}
    t = presets.load(PRESET, changes).training
    shorter = {
        "training.steps": t.steps // LONGER,
        "training.warmup": max(1, t.warmup // LONGER),
    }
    some = slice(1 if quick else None)
    searched, seeds, first = SEARCHED[some], SEEDS[some], FIRST[some]

    def run(name: str, rate: float, seed: int, *, judged: bool) -> dict[str, Any]:
        chosen = changes | {"training.lr": rate, "training.seed": seed}
        chosen |= {} if judged else shorter
        file = f"{name.replace(', ', '-')}-{rate:g}-{seed}"
        return once(file, lambda: trained(name, chosen, judged=judged))

    models = {}
    for name in MODELS:

        def end(rate: float, seed: int, name: str = name) -> float:
            return run(name, rate, seed, judged=False)["validation loss"]

        rate, search = bracketed(first if quick else RATES, first, mean_end(end, searched))
        models[name] = {
            "search": search, "rate": rate,
            "runs": [run(name, rate, seed, judged=True) for seed in seeds],
        }  # fmt: skip
    return {
        "steps": t.steps, "steps of a search": shorter["training.steps"], "batch": t.batch,
        "models": models, "published": PUBLISHED,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record(RECORD, __doc__, measured, seed=SEEDS[0], judged_by=("model-vision",), resumed=True)
