"""Image classification with a vision transformer."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tfcourse.batching import Batches
from tfcourse.evaluation import accuracy
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora
from tfcourse.runs.translation import interval
from tfcourse.training import Classification, mean_loss


def images(preset: Preset) -> Task:
    """The task of classifying images."""
    train, validation, test = corpora(preset)
    pixels, labels = train.tensors()
    scale = Scale(pixels)
    choice = preset.training
    model = preset.model.make(
        classes=len(train.labels), image=pixels.shape[-1], channels=pixels.shape[1]
    )

    def varied(batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return scale(vary(batch[0], choice.flip, choice.shift)), batch[1]

    def plain(batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return scale(batch[0]), batch[1]

    held_out = Batches(validation.tensors(), preset.evaluation.batch, collate=plain, shuffle=False)

    @torch.no_grad()
    def judge(model: nn.Module) -> dict[str, Any]:
        device = next(model.parameters()).device
        model.eval()
        tests = Batches(test.tensors(), preset.evaluation.batch, collate=plain, shuffle=False)
        predicted = [model(x.to(device)).logits.argmax(-1).cpu() for x, _ in tests]
        return interval("accuracy", accuracy(torch.cat(predicted), test.tensors()[1]))

    return Task(
        model,
        Batches((pixels, labels), choice.batch, collate=varied, seed=choice.seed, drop_last=True),
        Classification(choice.smoothing),
        mean_loss(Classification(), held_out),
        judge,
        {"mean": scale.mean.tolist(), "deviation": scale.deviation.tolist(),
         "labels": list(train.labels)},
        {"training pictures": len(train), "test pictures": len(test)},
    )  # fmt: skip


class Scale:
    """Scale pixels from 0..255 to mean 0 and standard deviation 1 in each channel.

    ``mean`` and ``deviation``, ``(C,)``, are those of the training images, uint8 ``(N, C, H, W)``,
    scaled to 0..1.
    """

    def __init__(self, pixels: Tensor) -> None:
        # Channel by channel, so that not all images are floats at once.
        parts = [pixels[:, c].double() / 255 for c in range(pixels.shape[1])]
        self.mean = torch.tensor([float(part.mean()) for part in parts])
        self.deviation = torch.tensor([float(part.std()) for part in parts])

    def __call__(self, pixels: Tensor) -> Tensor:
        """The scaled images, ``(N, C, H, W)``."""
        mean, deviation = (x[:, None, None] for x in (self.mean, self.deviation))
        return (pixels.float() / 255 - mean) / deviation


def vary(pixels: Tensor, flip: bool, shift: int) -> Tensor:
    """Mirror images at random, and shift each by up to ``shift`` pixels; uses torch's generator."""
    N, _, H, W = pixels.shape
    if flip:
        mirrored = torch.rand(N) < 0.5
        pixels = torch.where(mirrored[:, None, None, None], pixels.flip(-1), pixels)
    if shift:
        padded = F.pad(pixels, (shift,) * 4)
        down, right = torch.randint(2 * shift + 1, (2, N, 1, 1))
        rows, columns = torch.arange(H)[:, None] + down, torch.arange(W) + right
        pixels = padded[torch.arange(N)[:, None, None], :, rows, columns].permute(0, 3, 1, 2)
    return pixels
