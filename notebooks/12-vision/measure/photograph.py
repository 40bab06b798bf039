"""Where a small vision transformer looks in a photograph, and what it needs; chapter 12 shows it.

The only photograph is Matplotlib's sample of Grace Hopper, so the question is one that needs no
labels: which way up is it? (Gidaris et al. 2018.) The model has the size of the chapter's own. It
learns from crops of random place and size, each turned by a quarter, a half, three quarters or not
at all. For the upright photograph the record holds the rollout of [CLS] over the patches, and the
probability of the right answer without the face, without as many patches of the background, and
without as many at random. Then patches are left out one after another, by rollout and in random
orders, until the answer changes. Three seeds. A minute on one thread.
"""

from __future__ import annotations

from functools import reduce
from statistics import median
from typing import Any

import torch
import torch.nn.functional as F
from matplotlib.cbook import get_sample_data
from PIL import Image
from torch import Tensor, nn

from coursebook.measuring import keep_record
from tfcourse.flops import count_parameters
from tfcourse.models.vit import ViT, ViTConfig, patchify

SEEDS = (40, 41, 42)
SIDE, PATCH = 64, 8
ACROSS = SIDE // PATCH
#: The square of the photograph that is shown, in its pixels, and the least side of a crop.
SQUARE, LEAST = (0, 0, 512, 512), 384
STEPS, BATCH, RATE, WARMUP = 600, 32, 1e-3, 50
#: Rows and columns of twelve patches each: the face, and the background to the right of it. They
#: were chosen after a first look at the maps.
REGIONS = {"face": (slice(2, 6), slice(3, 6)), "background": (slice(0, 6), slice(6, 8))}
#: The number of random orders in which patches are left out.
ORDERS = 20


def photograph() -> Image.Image:
    """Matplotlib's sample photograph, by the US Navy, in the public domain."""
    with Image.open(get_sample_data("grace_hopper.jpg")) as image:
        return image.convert("RGB")


def pixels(image: Image.Image) -> Tensor:
    """An image as ``(3, SIDE, SIDE)``, from -1 to 1."""
    small = image.resize((SIDE, SIDE), Image.Resampling.BOX)
    whole = torch.tensor(list(small.tobytes()), dtype=torch.float32)
    return whole.reshape(SIDE, SIDE, 3).permute(2, 0, 1) / 127.5 - 1


def crops(count: int, generator: torch.Generator) -> Tensor:
    """Square crops of random size and place, upright: ``(count, 3, SIDE, SIDE)``."""
    image, found = photograph(), []
    for _ in range(count):
        u, v, w = torch.rand(3, generator=generator).tolist()
        side = LEAST + u * (image.width - LEAST)
        left, top = v * (image.width - side), w * (image.height - side)
        found.append(pixels(image.crop((left, top, left + side, top + side))))
    return torch.stack(found)


def turned(images: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Each image turned by a random number of quarters, and that number."""
    quarters = torch.randint(4, (len(images),), generator=generator)
    both = zip(images, quarters.tolist(), strict=True)
    return torch.stack([x.rot90(q, (1, 2)) for x, q in both]), quarters


def transformer() -> ViT:
    """Blocks of four heads, initialised for their width, as in lesson 12."""
    model = ViT(ViTConfig(4, SIDE, PATCH, 3, 2, 4, 64, 128, eps=1e-5))
    for block in model.blocks:
        block.attention.reset_parameters()
        block.ffn.reset_parameters()
    nn.init.normal_(model.W_P, std=len(model.W_P) ** -0.5)
    for p in (model.positions.P, model.c):
        nn.init.normal_(p, std=0.5)
    return model


def trained(images: Tensor, steps: int, generator: torch.Generator) -> ViT:
    """A transformer that says by how many quarters a crop is turned."""
    model = transformer()
    optimiser = torch.optim.AdamW(model.parameters())
    for n in range(steps):
        optimiser.param_groups[0]["lr"] = RATE * min(1, (n + 1) / WARMUP) * (1 - n / steps)
        some = torch.randint(len(images), (BATCH,), generator=generator)
        x, quarters = turned(images[some], generator)
        loss = F.cross_entropy(model(x).logits, quarters)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


def scores(model: ViT, image: Tensor, hidden: Tensor) -> Tensor:
    """The log-probabilities of the four turns without the patches ``hidden``, bool ``(B, N)``."""
    tokens = patchify(image[None], PATCH) @ model.W_P + model.b_P
    x = torch.cat([model.c.expand(1, 1, -1), tokens], dim=1)
    x = model.positions.embed(x).expand(len(hidden), -1, -1)
    mask = F.pad(~hidden, (1, 0), value=True)[:, None]  # (B, 1, N + 1)
    for block in model.blocks:
        x, _ = block(x, mask, fused=True)
    return (model.norm(x[:, 0]) @ model.W + model.b).log_softmax(-1)


def rollout(model: ViT, image: Tensor) -> Tensor:
    """The lesson's rollout, from [CLS] to the patches: ``(N,)``."""
    maps = model(image[None], return_weights=True).maps["self"]
    kept = [(A.mean(1)[0] + torch.eye(A.shape[-1])) / 2 for A in maps]
    return reduce(lambda R, A: A @ R, kept)[0, 1:]


def until_changed(model: ViT, image: Tensor, order: Tensor) -> int:
    """How many patches, left out in this order, change the answer."""
    count = len(order)
    hidden = torch.zeros(count, count, dtype=torch.bool)
    for n in range(count):
        hidden[n, order[: n + 1]] = True
    wrong = scores(model, image, hidden).argmax(-1) != 0
    return int(wrong.double().argmax()) + 1 if wrong.any() else count


def regions(orders: list[Tensor]) -> dict[str, Tensor]:
    """Masks of patches to leave out, bool ``(B, N)``: none, the regions, and as many at random."""
    found = {"nothing": torch.zeros(1, ACROSS, ACROSS, dtype=torch.bool)}
    for name, (rows, columns) in REGIONS.items():
        found[name] = torch.zeros(1, ACROSS, ACROSS, dtype=torch.bool)
        found[name][:, rows, columns] = True
    masks = {name: mask.flatten(1) for name, mask in found.items()}
    count = int(masks["face"].sum())
    drawn = torch.zeros(len(orders), ACROSS**2, dtype=torch.bool)
    for mask, order in zip(drawn, orders, strict=True):
        mask[order[:count]] = True
    return {**masks, "at random": drawn}


@torch.no_grad()
def looked_at(model: ViT, image: Tensor, generator: torch.Generator) -> dict[str, Any]:
    """The map of one model, its answer without parts of the image, and how many it can spare."""
    orders = [torch.randperm(ACROSS**2, generator=generator) for _ in range(ORDERS)]
    R = rollout(model, image)
    return {
        "rollout": [round(float(x), 4) for x in R],
        "probability without": {
            name: round(float(scores(model, image, mask)[:, 0].exp().mean()), 3)
            for name, mask in regions(orders).items()
        },
        "spared": {
            "most rollout first": until_changed(model, image, R.argsort(descending=True)),
            "least rollout first": until_changed(model, image, R.argsort()),
            "random": median(until_changed(model, image, one) for one in orders),
        },
    }


def measured(quick: bool) -> dict[str, Any]:
    """Each seed's accuracy on new crops, and its maps of the photograph."""
    torch.set_num_threads(1)
    shown, runs = pixels(photograph().crop(SQUARE)), {}
    for seed in SEEDS[:1] if quick else SEEDS:
        torch.manual_seed(seed)
        draws = torch.Generator().manual_seed(seed)
        model = trained(crops(20 if quick else 400, draws), 2 if quick else STEPS, draws)
        x, quarters = turned(crops(20 if quick else 200, draws), draws)
        with torch.no_grad():
            right = float((model(x).logits.argmax(-1) == quarters).double().mean())
        runs[str(seed)] = {"right": right, **looked_at(model, shown, draws)}
    return {
        "parameters": count_parameters(transformer()), "steps": STEPS, "batch": BATCH,
        "across": ACROSS, "square": list(SQUARE),
        "patches": int(regions([])["face"].sum()), "runs": runs,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("photograph", __doc__, measured, seed=SEEDS[0])
