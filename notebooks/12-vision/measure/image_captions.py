"""Two encoders learn from images and their captions, as in CLIP; chapter 12, Going further.

One encoder is the transformer of ``vision_arrows.py``, the other reads the caption, *the arrow
points at L*. Both end in a vector of length 1. Each step reads ten groups of six images, one of
each letter, and in each group every image meets all six captions. The rate is the chapter's own and
was not searched. Then each test image takes the caption with the largest dot product. Three seeds,
and the table of cosines of the first of them. Some minutes on one thread.
"""

from __future__ import annotations

import math
from statistics import mean
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from vision_arrows import SIZES, images_of, transformer

from coursebook.measuring import keep_record
from tfcourse.data.arrows import LETTERS
from tfcourse.flops import count_parameters
from tfcourse.models.common import encoder_blocks, through
from tfcourse.models.vit import ViT
from tfcourse.runs.images import Scale

SEEDS = (40, 41, 42)
RATE, STEPS, WARMUP, GROUPS, WIDTH = 2e-3, 4000, 50, 10, 32
#: What the table is multiplied by at first; it is learned (Radford et al. 2021, section 2.5).
START = 1 / 0.07
WORDS = ("[CLS]", "the", "arrow", "points", "at", *LETTERS)
CAPTIONS = torch.tensor([[*range(5), 5 + i] for i in range(len(LETTERS))])  # (6, 6)


def projected(model: nn.Module, width: int) -> None:
    """Let the model end in a vector of ``WIDTH`` numbers."""
    model.W = nn.Parameter(torch.randn(width, WIDTH) * width**-0.5)
    model.b = nn.Parameter(torch.zeros(WIDTH))


class Captions(nn.Module):
    """An encoder of captions with the sizes of the image encoder ``like``."""

    def __init__(self, like: ViT) -> None:
        super().__init__()
        width = like.config.d_model
        self.table = nn.Parameter(0.5 * torch.randn(len(WORDS), width))
        self.positions = nn.Parameter(0.5 * torch.randn(CAPTIONS.shape[1], width))
        self.blocks = encoder_blocks(like.config, "pre")
        self.norm = nn.LayerNorm(width)
        projected(self, width)

    def forward(self, ids: Tensor) -> Tensor:
        x, _, _ = through(self.blocks, self.table[ids] + self.positions)
        return self.norm(x[:, 0]) @ self.W + self.b  # (B, WIDTH)


class Pair(nn.Module):
    """Both encoders and the learned scale, stored as its logarithm."""

    def __init__(self) -> None:
        super().__init__()
        self.images = transformer(SIZES["cpu"])
        projected(self.images, self.images.config.d_model)
        self.captions = Captions(self.images)
        self.log_scale = nn.Parameter(torch.tensor(math.log(START)))

    def forward(self, images: Tensor) -> Tensor:
        """The cosine of each image and each caption, ``(B, 6)``."""
        seen = F.normalize(self.images(images).logits, dim=-1)
        return seen @ F.normalize(self.captions(CAPTIONS), dim=-1).T


def clip_loss(tables: Tensor) -> Tensor:
    """The mean cross-entropy by rows and by columns of ``tables``, ``(G, n, n)``."""
    pairs = torch.arange(tables.shape[1]).expand(len(tables), -1)
    by_rows = F.cross_entropy(tables.mT, pairs)  # the classes are axis 1
    return (by_rows + F.cross_entropy(tables, pairs)) / 2


def trained(pixels: Tensor, labels: Tensor, seed: int, steps: int) -> Pair:
    """A pair at the end of its training."""
    torch.manual_seed(seed)
    pair = Pair()
    optimiser = torch.optim.AdamW(pair.parameters(), lr=RATE)
    of_letter = [(labels == i).nonzero().flatten() for i in range(len(LETTERS))]
    for n in range(steps):
        optimiser.param_groups[0]["lr"] = RATE * min(1, (n + 1) / WARMUP) * (1 - n / steps)
        chosen = torch.stack([one[torch.randint(len(one), (GROUPS,))] for one in of_letter], 1)
        cosines = pair(pixels[chosen.flatten()]).unflatten(0, (GROUPS, -1))
        loss = clip_loss(pair.log_scale.exp() * cosines)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return pair.eval()


@torch.no_grad()
def measured(quick: bool) -> dict[str, Any]:
    """The share of right captions of each seed, and a table of the first."""
    torch.set_num_threads(1)
    size, steps = SIZES["quick" if quick else "cpu"], 2 if quick else STEPS
    pixels, labels, _ = images_of(size, "train", "cpu")
    scale = Scale(pixels)
    tests, of_tests, _ = images_of(size, "test", "cpu")
    right, tables = [], []
    for seed in SEEDS[: 1 if quick else None]:
        with torch.enable_grad():
            pair = trained(scale(pixels), labels, seed, steps)
        cosines = pair(scale(tests))  # (N, 6)
        right.append(round((cosines.argmax(-1) == of_tests).double().mean().item(), 4))
        tables.append((pair, cosines))
    pair, cosines = tables[0]
    first = [int((of_tests == i).nonzero()[0]) for i in range(len(LETTERS))]
    return {
        "captions": ["the arrow points at " + one for one in LETTERS],
        "parameters": [count_parameters(pair.images), count_parameters(pair.captions)],
        "steps": steps, "groups": GROUPS, "rate": RATE, "test images": len(of_tests),
        "right": right, "mean": round(mean(right), 4),
        "scale": round(pair.log_scale.exp().item(), 2), "shown": first,
        "cosines": [[round(x, 3) for x in cosines[i].tolist()] for i in first],
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("image-captions", __doc__, measured, seed=SEEDS[0])
