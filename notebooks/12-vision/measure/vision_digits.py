"""Digits of 8 by 8 pixels: a vision transformer, a linear model, a CNN; chapter 12.

All are trained with the same images in the same batches, the same optimiser and number of steps,
and three seeds; the transformer is a smaller version of the preset ``digits-vit``. They are tested
on the 300 test images unchanged, and shifted by one pixel in every direction. `models` trains each
with and without random shifts. `pictures` uses fewer training images. `shuffled` puts the patches
of every image into one other order. `longer` trains for more steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from mnist import convolutional, linear
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse import data, presets, training
from tfcourse.batching import Batches
from tfcourse.flops import count_parameters
from tfcourse.models.vit import ViT, ViTConfig, patchify
from tfcourse.runs.images import Scale, vary
from tfcourse.runs.running import schedule
from tfcourse.training import Classification

SEEDS = (0, 1, 2)
PRESET = "digits-vit"
CHANGES = {
    "model.num_layers": 2, "model.d_model": 48, "model.d_ff": 96, "model.dropout": 0.0,
    "training.steps": 400, "training.warmup": 30,
}  # fmt: skip
#: The peak learning rate of each, chosen in trial runs.
RATES = {"ViT": 6e-3, "convolutional": 1e-2, "linear": 1e-2}
SIDE, PATCH, FEW, LONGER = 8, 2, (128, 512), 2000


def transformer(patch: int = PATCH, *, wide: bool = True) -> ViT:
    """The small transformer; ``wide`` initialises its weights for its own width, not with 0.02."""
    choices = presets.load(PRESET, CHANGES | {"model.patch": patch}).model.choices
    model = ViT(ViTConfig(10, image=SIDE, channels=1, **choices))
    if wide:
        for block in model.blocks:
            block.attention.reset_parameters()  # after Glorot and Bengio
            block.ffn.reset_parameters()
        nn.init.normal_(model.W_P, std=len(model.W_P) ** -0.5)
        for p in (model.positions.P, model.c):
            nn.init.normal_(p, std=0.5)
    return model


def in_another_order(pixels: Tensor) -> Tensor:
    """The patches of each image in one fixed random order."""
    across = SIDE // PATCH
    order = torch.randperm(across**2, generator=torch.Generator().manual_seed(0))
    patches = patchify(pixels, PATCH)[:, order]  # (B, N, patch * patch)
    grid = patches.reshape(-1, across, across, PATCH, PATCH).transpose(2, 3)
    return grid.reshape(-1, 1, SIDE, SIDE)


class Pictures:
    """The corpus, its scale, and the two ways of testing."""

    def __init__(self) -> None:
        self.train, self.test = (data.load("digits", part).tensors() for part in ("train", "test"))
        self.scale = Scale(self.train[0])

    @torch.no_grad()
    def judged(self, model: nn.Module, change: Callable[[Tensor], Tensor]) -> dict[str, float]:
        """Accuracy on unchanged images, and the mean over the eight shifts."""
        pixels, labels = self.test
        padded = F.pad(pixels, (1, 1, 1, 1))
        found = {}
        for down in (0, 1, 2):
            for right in (0, 1, 2):
                moved = padded[..., down : down + SIDE, right : right + SIDE]
                guess = model(self.scale(change(moved))).logits.argmax(-1)
                found[down, right] = (guess == labels).double().mean().item()
        still = found.pop((1, 1))
        return {"still": round(still, 4), "moved": round(sum(found.values()) / len(found), 4)}


def trained(
    pictures: Pictures,
    make: Callable[[], nn.Module],
    seeds: tuple[int, ...],
    *,
    steps: int,
    rate: float,
    shift: int = 1,
    count: int | None = None,
    change: Callable[[Tensor], Tensor] = lambda pixels: pixels,
) -> dict[str, Any]:
    """One setting with every seed."""
    changes = {"training.steps": steps, "training.lr": rate, "training.warmup": min(30, steps // 2)}
    preset = presets.load(PRESET, CHANGES | changes)
    t, found = preset.training, []
    for seed in seeds:
        torch.manual_seed(seed)
        model = make()
        batches = Batches(
            tuple(part[:count] for part in pictures.train), t.batch, seed=seed, drop_last=True,
            collate=lambda b: (pictures.scale(change(vary(b[0], False, shift))), b[1]),
        )  # fmt: skip
        training.fit(
            model, batches, loss=Classification(), steps=steps, lr=schedule(preset),
            optimiser=training.adamw(t.weight_decay), device="cpu", seed=seed,
        )  # fmt: skip
        found.append(pictures.judged(model.eval(), change))
    kinds = {kind: [one[kind] for one in found] for kind in ("still", "moved")}
    return {"parameters": count_parameters(model), "steps": steps, "rate": rate, **kinds}


def measured(quick: bool) -> dict[str, Any]:
    """All four comparisons."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    pictures, seeds = Pictures(), SEEDS[:1] if quick else SEEDS
    steps, longer = (2, 3) if quick else (CHANGES["training.steps"], LONGER)
    makers = {
        "ViT": transformer,
        "convolutional": lambda: convolutional(SIDE),
        "linear": lambda: linear(SIDE),
    }

    def one(name: str, **choices: Any) -> dict[str, Any]:
        settings = {"steps": steps, "rate": RATES[name]} | choices
        return trained(pictures, makers[name], seeds, **settings)

    return {
        "models": {
            name: {"trained moved": one(name), "trained still": one(name, shift=0)}
            for name in makers
        },
        "pictures": {
            name: {str(count): one(name, count=count) for count in FEW} for name in makers
        },
        "shuffled": {name: one(name, change=in_another_order) for name in ("ViT", "convolutional")},
        "longer": {name: one(name, steps=longer) for name in ("ViT", "convolutional")},
    }


if __name__ == "__main__":
    keep_record("vision-digits", __doc__, measured, seed=SEEDS[0])
