"""MNIST: a small vision transformer, a linear model and a small convolutional network.

The transformer is the preset ``mnist-vit``. The others are trained like it: the same images in the
same batches, the same optimiser, rate and number of steps, and random shifts of each image by up to
two pixels. A linear model may do better without shifts, so it is trained both ways. Chapter 12
shows the record.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch
from _measuring import keep_record, measure, short
from torch import Tensor, nn

from tfcourse import presets, training
from tfcourse.models.counting import count_parameters
from tfcourse.models.output import Output
from tfcourse.runs import prepare
from tfcourse.runs.running import schedule

PRESET, RECORD = "mnist-vit", "mnist-vit-cpu"
CLASSES = 10
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


def trained(make: Callable[[int], nn.Module], changes: dict[str, Any]) -> dict[str, Any]:
    """Train another model in place of the preset's."""
    preset = presets.load(PRESET, changes)
    task, t = prepare(preset), preset.training
    torch.manual_seed(t.seed)
    model = make(28)
    began = time.perf_counter()
    training.fit(
        model, task.batches, loss=task.loss, steps=t.steps, lr=schedule(preset),
        optimiser=training.adamw(t.weight_decay, t.betas, t.eps), clip=t.clip or None,
        device="cpu", seed=t.seed,
    )  # fmt: skip
    return {
        "parameters": count_parameters(model),
        "steps": t.steps,
        "training seconds": round(time.perf_counter() - began, 1),
        "evaluation": task.judge(model),
    }


def measured(quick: bool) -> dict[str, Any]:
    """Each model's accuracy on the 10,000 test images."""
    torch.set_num_threads(1)  # models this small gain little from a second one
    few = {"data.train": "test", "data.validation": "test", "data.held_out": 500}
    changes = short(**few) if quick else {}
    still = changes | {"training.shift": 0}
    models = {"ViT": measure(PRESET, changes, device="cpu")}
    models["convolutional"] = trained(convolutional, changes)
    models["linear"] = trained(linear, changes)
    models["linear, pictures not moved"] = trained(linear, still)
    return {"models": models, "published": PUBLISHED}


if __name__ == "__main__":
    keep_record(RECORD, __doc__, measured, seed=presets.load(PRESET).training.seed)
