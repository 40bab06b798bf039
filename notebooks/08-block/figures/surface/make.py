"""The loss around networks with and without residuals, for ``surface.json``.

Three pairs of small networks read handwritten digits: six blocks, the rows of an image as tokens.
Both networks of a pair start from one seed and are trained until the loss on the same 128 images is
at most 0.4, so that their surfaces are compared at one height. Then the loss is evaluated on a grid
along two random directions, filter-normalised as in Li et al. (2018): each column of a matrix in
the direction has the norm of that column of the network's matrix; biases do not move. About one
minute on one thread::

    python notebooks/08-block/figures/surface/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook import live
from coursebook.measuring.stack import WithoutResidual
from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward, LayerNorm

SEEDS, LEVEL, MOST, RATE, BATCH = (0, 1, 2), 0.4, 3000, 2e-3, 32
#: Points along each direction, from -1 to 1.
POINTS, SHOWN = 17, 128


class Digits(nn.Module):
    """The rows of an image as tokens; a score for each digit."""

    def __init__(self, kind: type[Block], blocks: int = 6, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.place = nn.Parameter(0.5 * torch.randn(8, width))
        self.blocks = nn.ModuleList(
            kind(MultiHeadAttention(width, 4), FeedForward(width, 2 * width)) for _ in range(blocks)
        )
        self.norm = LayerNorm(width)
        self.read = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x) + self.place  # (B, 8, D)
        for block in self.blocks:
            x, _ = block(x, fused=True)
        return self.read(self.norm(x).mean(1))  # (B, 10)


def pictures(split: str) -> tuple[Tensor, Tensor]:
    """Images ``(N, 8, 8)``, 8 tokens of 8 pixels each, and their digits."""
    pixels, labels = data.load("digits", split=split).tensors()
    return pixels[:, 0].float() / 127.5 - 1, labels


def trained(kind: type[Block], seed: int, x: Tensor, y: Tensor) -> tuple[Digits, dict]:
    """A network trained until its loss on the first images is down to :data:`LEVEL`."""
    torch.manual_seed(seed)
    model = Digits(kind)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    for step in range(1, MOST + 1):
        optimiser.param_groups[0]["lr"] = RATE * min(1.0, step / 50)
        batch = torch.randint(len(x), (BATCH,))
        loss = F.cross_entropy(model(x[batch]), y[batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 0:
            with torch.no_grad():
                level = F.cross_entropy(model(x[:SHOWN]), y[:SHOWN]).item()
            if level <= LEVEL:
                return model, {"steps": step, "loss": round(level, 3)}
    raise SystemExit(f"seed {seed}: the loss is still {level:.2f} after {MOST} steps")


def direction(model: Digits) -> Iterator[Tensor]:
    """A random direction, each column with the norm of the model's own."""
    turned = (model.embed.weight, model.read.weight)  # nn.Linear keeps its matrix transposed
    for p in model.parameters():
        d = torch.randn_like(p)
        axis = 1 if any(p is weight for weight in turned) else 0
        long = p.norm(dim=axis, keepdim=True) / d.norm(dim=axis, keepdim=True)
        yield d * long if p.dim() > 1 else torch.zeros_like(p)


@torch.no_grad()
def surface(model: Digits, x: Tensor, y: Tensor, seed: int) -> list[list[float]]:
    """The loss at theta + s u + t v, for all s (rows) and t (columns)."""
    torch.manual_seed(seed)
    theta = [p.clone() for p in model.parameters()]
    u, v = list(direction(model)), list(direction(model))
    steps = torch.linspace(-1, 1, POINTS).tolist()
    found = []
    for s in steps:
        found.append([])
        for t in steps:
            for p, here, du, dv in zip(model.parameters(), theta, u, v, strict=True):
                p.copy_(here + s * du + t * dv)
            found[-1].append(round(F.cross_entropy(model(x), y).item(), 3))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    torch.set_num_threads(1)
    x, y = pictures("train")
    test_x, test_y = pictures("test")
    stored = {
        "about": "The loss around nets with and without residual paths, by surface/make.py",
        "points": POINTS,
        "nets": {"with": [], "without": []},
    }
    for seed in SEEDS:
        for name, kind in (("with", Block), ("without", WithoutResidual)):
            model, how = trained(kind, seed, x, y)
            with torch.no_grad():
                right = (model(test_x).argmax(-1) == test_y).float().mean().item()
            found = {"seed": seed, **how, "right": round(right, 3)}
            print(name, found, flush=True)
            found["surface"] = surface(model, x[:SHOWN], y[:SHOWN], seed)
            stored["nets"][name].append(found)
    live.store("surface", stored)


if __name__ == "__main__":
    main()
