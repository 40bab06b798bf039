"""Four letters and an arrow: a vision transformer and three models without attention; chapter 12.

All have the same images in the same batches, the same optimiser and number of steps, and, except
for the linear model, about as many parameters. Each one's learning rate is searched by the mean of
three seeds on the validation images, on a grid that grows until its best value is inside. Then come
ten other seeds on the test images. For the transformer the record also says where [CLS] attends,
and how its answers change without the patches of the letter that the arrow points at, of another
letter, and of the arrow.

``--device cuda`` trains larger models on more and larger images, into a record of its own. Their
letters and arrows are as if drawn by hand (``_strokes.py``), in 64 patches instead of 16.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import mean
from typing import Any

import torch
import torch.nn.functional as F
from _strokes import drawn
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse import data
from tfcourse.data.arrows import LETTERS, SIDE
from tfcourse.flops import count_parameters
from tfcourse.models.common import Output
from tfcourse.models.vit import ViT, ViTConfig, patchify
from tfcourse.runs.images import Scale

SEARCH, SEEDS = (100, 101, 102), tuple(range(30, 40))
#: The initial grid of each; if the best rate is at its edge, it grows by a factor of two.
RATES = (1e-3, 2e-3, 4e-3)
PATCH = 7
#: The seeds of drawn images.
DRAWN = {"train": 2000, "validation": 2001, "test": 2002}


@dataclass(frozen=True)
class Size:
    """What to train on a device: the images and the models.

    ``channels`` are those of the convolutional net, and ``hidden`` is its hidden layer, for about
    as many parameters as the transformer has.
    """

    side: int
    images: int
    held_out: int
    blocks: int
    width: int
    channels: tuple[int, ...]
    hidden: int
    steps: int
    batch: int
    warmup: int


SIZES = {
    "cpu": Size(28, 16_000, 1000, 2, 64, (16, 32), 44, 800, 64, 50),
    "cuda": Size(56, 120_000, 4000, 6, 192, (32, 64, 128), 274, 6000, 256, 300),
    "quick": Size(28, 200, 100, 2, 64, (16, 32), 44, 2, 64, 50),
}


def images_of(size: Size, split: str, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Pixels, classes, and the corners that the arrows point at."""
    if size.side == SIDE:
        corpus = data.load("arrows", split, examples=size.images, held_out=size.held_out)
        return *corpus.tensors(), corpus.examples.places
    count = size.images if split == "train" else size.held_out
    return drawn(count, DRAWN[split], size.side // SIDE, device)


def patches_of(across: int) -> Tensor:
    """The patches of each corner, in the order of the corpus, and of the arrow: bool ``(5, N)``."""
    where = torch.zeros(5, across, across, dtype=torch.bool)
    edge = across // 4
    first, middle, last = slice(edge), slice(edge, across - edge), slice(across - edge, across)
    for one, rows, columns in zip(
        where, (first, first, last, last, middle), (first, last, first, last, middle), strict=True
    ):
        one[rows, columns] = True
    return where.flatten(1)


def transformer(size: Size) -> ViT:
    """Blocks of four heads, initialised for their width, as in lesson 12."""
    model = ViT(
        ViTConfig(
            len(LETTERS), size.side, PATCH, 1, size.blocks, 4, size.width, 2 * size.width, eps=1e-5
        )
    )
    for block in model.blocks:
        block.attention.reset_parameters()
        block.ffn.reset_parameters()
    nn.init.normal_(model.W_P, std=len(model.W_P) ** -0.5)
    for p in (model.positions.P, model.c):
        nn.init.normal_(p, std=0.5)
    return model


class Apart(nn.Module):
    """Each patch by itself through feed-forward layers, then the mean: no attention."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        width = size.width
        self.embed = nn.Linear(PATCH**2, width)
        self.positions = nn.Parameter(0.5 * torch.randn((size.side // PATCH) ** 2, width))
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(),
                nn.Linear(4 * width, width),
            )
            for _ in range(size.blocks)
        )  # fmt: skip
        self.read = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, len(LETTERS)))

    def forward(self, images: Tensor) -> Output:
        x = self.embed(patchify(images, PATCH)) + self.positions
        for layer in self.layers:
            x = x + layer(x)
        return Output(self.read(x.mean(1)))


class Plain(nn.Module):
    """Layers one after another, with the course's output."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, images: Tensor) -> Output:
        return Output(self.layers(images))


def convolutional(size: Size) -> Plain:
    """Convolutions, each with a maximum over 2 by 2, and a hidden layer over all positions."""
    layers: list[nn.Module] = []
    for before, channels in zip((1, *size.channels), size.channels, strict=False):
        layers += [nn.Conv2d(before, channels, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    seen = size.channels[-1] * (size.side // 2 ** len(size.channels)) ** 2
    return Plain(
        *layers, nn.Flatten(), nn.Linear(seen, size.hidden), nn.ReLU(),
        nn.Linear(size.hidden, len(LETTERS)),
    )  # fmt: skip


def linear(size: Size) -> Plain:
    """A weight for each pixel and class."""
    return Plain(nn.Flatten(), nn.Linear(size.side**2, len(LETTERS)))


MODELS: dict[str, Callable[[Size], nn.Module]] = {
    "ViT": transformer,
    "patches apart": Apart,
    "convolutional": convolutional,
    "linear": linear,
}


def train(
    model: nn.Module, pixels: Tensor, labels: Tensor, size: Size, *, rate: float, seed: int
) -> nn.Module:
    """AdamW; the rate warms up for some steps and decays to zero."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    for n in range(size.steps):
        warm, left = min(1, (n + 1) / size.warmup), 1 - n / size.steps
        optimiser.param_groups[0]["lr"] = rate * warm * left
        some = torch.randint(len(pixels), (size.batch,), generator=generator)
        loss = F.cross_entropy(model(pixels[some]).logits, labels[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


@torch.no_grad()
def read(model: ViT, images: Tensor, hidden: Tensor) -> Tensor:
    """The classes that the model predicts without the patches ``hidden``, bool ``(B, N)``."""
    tokens = patchify(images, PATCH) @ model.W_P + model.b_P
    x = model.positions.embed(torch.cat([model.c.expand(len(images), 1, -1), tokens], dim=1))
    mask = F.pad(~hidden, (1, 0), value=True)[:, None]  # (B, 1, N + 1)
    for block in model.blocks:
        x, _ = block(x, mask, fused=True)
    return (model.norm(x[:, 0]) @ model.W + model.b).argmax(-1)


@torch.no_grad()
def looked(model: ViT, images: Tensor, labels: Tensor, corners: Tensor) -> dict[str, Any]:
    """[CLS]'s attention on the relevant patches, and the accuracy lost without them."""
    maps = model(images, return_weights=True).maps["self"]
    on_patches = [A[:, :, 0, 1:] / A[:, :, 0, 1:].sum(-1, keepdim=True) for A in maps]
    where = patches_of(model.config.image // PATCH).to(images.device)
    asked = where[corners]  # (B, N)
    hidden = {
        "nothing": torch.zeros_like(asked),
        "the letter": asked,
        "another letter": where[(corners + 1) % 4],
        "the arrow": where[4].expand_as(asked),
    }
    most = on_patches[-1].mean(1).argmax(-1, keepdim=True)  # (B, 1)
    return {
        "attention, each head": [(A * asked[:, None]).sum(-1).mean(0).tolist() for A in on_patches],
        "most at it": asked.gather(1, most).double().mean().item(),
        "right without": {
            name: (read(model, images, one) == labels).double().mean().item()
            for name, one in hidden.items()
        },
    }


def measured(quick: bool, once: Callable[..., Any], size: Size, device: str) -> dict[str, Any]:
    """Every model's search, and its ten seeds."""
    torch.set_num_threads(1)
    seeds, searching = (SEEDS[:1], SEARCH[:1]) if quick else (SEEDS, SEARCH)
    splits = {s: images_of(size, s, device) for s in ("train", "validation", "test")}
    scale = Scale(splits["train"][0])
    images = {
        split: (scale(pixels).to(device), labels.to(device), corners.to(device))
        for split, (pixels, labels, corners) in splits.items()
    }
    found: dict[str, Any] = {}
    for name, make in MODELS.items():

        def run(rate: float, seed: int, make=make) -> nn.Module:
            torch.manual_seed(seed)
            return train(make(size).to(device), *images["train"][:2], size, rate=rate, seed=seed)

        @torch.no_grad()
        def right(model: nn.Module, split: str) -> float:
            pixels, labels, _ = images[split]
            return (model(pixels).logits.argmax(-1) == labels).double().mean().item()

        def tried(rate: float, name=name, run=run, right=right) -> float:
            return mean(
                once(f"{name}-search-{rate:g}-{s}", lambda s=s: right(run(rate, s), "validation"))
                for s in searching
            )

        def tested(seed: int, rate: float, name=name, run=run, right=right) -> dict[str, Any]:
            model = run(rate, seed)
            seen = {"looked": looked(model, *images["test"])} if name == "ViT" else {}
            return {"accuracy": round(right(model, "test"), 4), **seen}

        searched = {rate: tried(rate) for rate in RATES}
        while not quick:
            best = max(searched, key=searched.get)
            if best not in (min(searched), max(searched)):
                break
            rate = best / 2 if best == min(searched) else best * 2
            searched[rate] = tried(rate)
        best = max(searched, key=searched.get)
        runs = [once(f"{name}-{best:g}-{seed}", partial(tested, seed, best)) for seed in seeds]
        found[name] = {
            "parameters": count_parameters(make(size)),
            "searched": {f"{rate:g}": round(value, 4) for rate, value in sorted(searched.items())},
            "rate": best,
            "accuracy": [one["accuracy"] for one in runs],
            **({"looked": [one["looked"] for one in runs]} if name == "ViT" else {}),
        }
    return {
        "steps": size.steps, "batch": size.batch, "training images": len(images["train"][1]),
        "test images": len(images["test"][1]), "settings": dataclasses.asdict(size),
        "models": found,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record(
        "vision-arrows", __doc__, measured, seed=SEEDS[0], resumed=True, sizes=SIZES,
        judged_by=("model-vision",),
    )  # fmt: skip
