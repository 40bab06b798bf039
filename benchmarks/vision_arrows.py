"""Four letters and an arrow: a vision transformer and three models without attention; chapter 12.

All have the same images in the same batches, the same optimiser and number of steps, and, except
for the linear model, about as many parameters. Each one's learning rate is searched by the mean of
three seeds on the validation images, on a grid that grows until its best value is inside. Then come
five other seeds on the test images. For the transformer the record also says where [CLS] attends,
and how its answers change without the patches of the letter that the arrow points at, of another
letter, and of the arrow.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import Any

import torch
import torch.nn.functional as F
from _measuring import keep_record
from torch import Tensor, nn

from tfcourse import data
from tfcourse.models.counting import count_parameters
from tfcourse.models.output import Output
from tfcourse.models.vit import ViT, ViTConfig, patchify
from tfcourse.runs.images import Scale

SIDE, PATCH, WIDTH, STEPS, BATCH, WARMUP = 28, 7, 64, 800, 64, 50
SEARCH, SEEDS = (100, 101, 102), (20, 21, 22, 23, 24)
#: The initial grid of each; if the best rate is at its edge, it grows by a factor of two.
RATES = (1e-3, 2e-3, 4e-3)
#: The patches in the corners, in the order of the corpus, and those of the arrow.
CORNERS, MIDDLE = torch.tensor([0, 3, 12, 15]), torch.tensor([5, 6, 9, 10])


def transformer(classes: int = 6) -> ViT:
    """Two blocks of four heads, initialised for their width, as in lesson 12."""
    model = ViT(ViTConfig(classes, SIDE, PATCH, 1, 2, 4, WIDTH, 2 * WIDTH, eps=1e-5))
    for block in model.blocks:
        block.attention.reset_parameters()
        block.ffn.reset_parameters()
    nn.init.normal_(model.W_P, std=len(model.W_P) ** -0.5)
    for p in (model.positions.P, model.c):
        nn.init.normal_(p, std=0.5)
    return model


class Apart(nn.Module):
    """Each patch by itself through two feed-forward layers, then the mean: no attention."""

    def __init__(self, classes: int = 6) -> None:
        super().__init__()
        self.embed = nn.Linear(PATCH**2, WIDTH)
        self.positions = nn.Parameter(0.5 * torch.randn((SIDE // PATCH) ** 2, WIDTH))
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                nn.Linear(4 * WIDTH, WIDTH),
            )
            for _ in range(2)
        )  # fmt: skip
        self.read = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, classes))

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


def convolutional() -> Plain:
    """Two convolutions, each with a maximum over 2 by 2, and a hidden layer over all positions."""
    return Plain(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * (SIDE // 4) ** 2, 44), nn.ReLU(), nn.Linear(44, 6),
    )  # fmt: skip


def linear() -> Plain:
    """A weight for each pixel and class."""
    return Plain(nn.Flatten(), nn.Linear(SIDE**2, 6))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "ViT": transformer,
    "patches apart": Apart,
    "convolutional": convolutional,
    "linear": linear,
}


def train(
    model: nn.Module, pixels: Tensor, labels: Tensor, *, rate: float, steps: int, seed: int
) -> nn.Module:
    """AdamW; the rate warms up for some steps and decays to zero."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    generator = torch.Generator().manual_seed(seed)
    for n in range(steps):
        optimiser.param_groups[0]["lr"] = rate * min(1, (n + 1) / WARMUP) * (1 - n / steps)
        some = torch.randint(len(pixels), (BATCH,), generator=generator)
        loss = F.cross_entropy(model(pixels[some]).logits, labels[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


@torch.no_grad()
def read(model: ViT, images: Tensor, hidden: Tensor) -> Tensor:
    """The classes that the model predicts without the patches ``hidden``, bool ``(B, 16)``."""
    tokens = patchify(images, PATCH) @ model.W_P + model.b_P
    x = model.positions.embed(torch.cat([model.c.expand(len(images), 1, -1), tokens], dim=1))
    mask = F.pad(~hidden, (1, 0), value=True)[:, None]  # (B, 1, 17)
    for block in model.blocks:
        x, _ = block(x, mask, fused=True)
    return (model.norm(x[:, 0]) @ model.W + model.b).argmax(-1)


@torch.no_grad()
def looked(model: ViT, images: Tensor, labels: Tensor, corners: Tensor) -> dict[str, Any]:
    """[CLS]'s attention on the relevant patch, and the accuracy lost without it."""
    maps = model(images, return_weights=True).maps["self"]
    at = torch.arange(len(images)), CORNERS[corners]
    on_patches = [A[:, :, 0, 1:] / A[:, :, 0, 1:].sum(-1, keepdim=True) for A in maps]
    none = torch.zeros(len(images), 16, dtype=torch.bool)
    asked, other, arrow = none.clone(), none.clone(), none.clone()
    asked[at] = True
    other[at[0], CORNERS[(corners + 1) % 4]] = True
    arrow[:, MIDDLE] = True
    hidden = {"nothing": none, "the letter": asked, "another letter": other, "the arrow": arrow}
    return {
        "attention, each head": [A[at[0], :, at[1]].mean(0).tolist() for A in on_patches],
        "most at it": (on_patches[-1].mean(1).argmax(-1) == at[1]).double().mean().item(),
        "right without": {
            name: (read(model, images, one) == labels).double().mean().item()
            for name, one in hidden.items()
        },
    }


def measured(quick: bool) -> dict[str, Any]:
    """Every model's search, and its five seeds."""
    torch.set_num_threads(1)
    steps, seeds = (2, SEEDS[:1]) if quick else (STEPS, SEEDS)
    searching = SEARCH[:1] if quick else SEARCH
    options = {"examples": 200, "held_out": 100} if quick else {}
    corpora = {s: data.load("arrows", s, **options) for s in ("train", "validation", "test")}
    scale = Scale(corpora["train"].tensors()[0])
    images = {name: (scale(c.tensors()[0]), c.tensors()[1]) for name, c in corpora.items()}
    found: dict[str, Any] = {}
    for name, make in MODELS.items():

        def run(rate: float, seed: int, make=make) -> nn.Module:
            torch.manual_seed(seed)
            return train(make(), *images["train"], rate=rate, steps=steps, seed=seed)

        @torch.no_grad()
        def right(model: nn.Module, split: str) -> float:
            pixels, labels = images[split]
            return (model(pixels).logits.argmax(-1) == labels).double().mean().item()

        def tried(rate: float, run=run, right=right) -> float:
            return mean(right(run(rate, seed), "validation") for seed in searching)

        searched = {rate: tried(rate) for rate in RATES}
        while not quick:
            best = max(searched, key=searched.get)
            if best not in (min(searched), max(searched)):
                break
            rate = best / 2 if best == min(searched) else best * 2
            searched[rate] = tried(rate)
        best = max(searched, key=searched.get)
        models = [run(best, seed) for seed in seeds]
        found[name] = {
            "parameters": count_parameters(models[0]),
            "searched": {f"{rate:g}": round(value, 4) for rate, value in sorted(searched.items())},
            "rate": best,
            "accuracy": [round(right(model, "test"), 4) for model in models],
        }
        if name == "ViT":
            places = corpora["test"].examples.places
            found[name]["looked"] = [looked(model, *images["test"], places) for model in models]
        print(name, found[name]["searched"], found[name]["accuracy"], flush=True)
    return {"steps": steps, "batch": BATCH, "training images": len(corpora["train"]),
            "test images": len(corpora["test"]), "models": found}  # fmt: skip


if __name__ == "__main__":
    keep_record("vision-arrows", __doc__, measured, seed=SEEDS[0], judged_by=("model-vision",))
