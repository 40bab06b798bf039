"""What each part of a block is worth: small language models, each with a part taken away.

All learn the characters of the same prose, read once: every batch is new, so the loss of a step is
a loss on text never seen. `parts` leaves out the feed-forward layer, the norm, its gain and bias or
the residual path of four blocks; `depth` stacks more and more blocks with and without the residual
path; `order` sets the norm before or after each part of twelve blocks, with and without warm-up.
Each variant is trained at several learning rates with three seeds: a part that is missing may need
a smaller rate. Gradients are not clipped, and a run whose loss is no longer finite is told as null.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import torch
from _measuring import keep_record
from torch import Tensor, nn

from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.batching import Batches, Windows
from tfcourse.layers import Block, FeedForward, LayerNorm
from tfcourse.models.output import Output
from tfcourse.positions import LearnedPositions
from tfcourse.tokenizers import CharTokenizer
from tfcourse.training import NextToken, NotFinite, adamw, constant, fit

SEEDS = (0, 1, 2)
WIDTH, HEADS, WINDOW, BATCH = 32, 4, 32, 16
#: Losses are kept as means of so many steps, and a run is judged by its last so many.
BIN, LAST = 20, 60
PARTS = {"steps": 400, "warmup": 40, "rates": (1e-3, 3e-3, 1e-2), "blocks": 4}
DEPTH = {"steps": 300, "warmup": 40, "rates": (1e-3, 3e-3), "blocks": (1, 2, 4, 8, 12)}
ORDER = {"steps": 300, "warmup": (0, 100), "rates": (3e-4, 1e-3, 3e-3), "blocks": 12}


class WithoutResidual(Block):
    """A block in which each part replaces what it was given."""

    def _add(self, x: Tensor, out: Tensor) -> Tensor:
        return out


class Nothing(nn.Module):
    """In the place of a feed-forward layer: adds nothing."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


def linear(width: int) -> nn.Module:
    """A feed-forward layer of the usual size without its nonlinearity."""
    both = nn.Sequential(nn.Linear(width, 4 * width), nn.Linear(4 * width, width))
    for layer in both:
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
    return both


def bare(width: int, eps: float) -> nn.Module:
    """The norm without gain and bias."""
    return LayerNorm(width, eps, affine=False)


def no_norm(width: int, eps: float) -> nn.Module:
    """In the place of a norm: leaves its input as it is."""
    return nn.Identity()


class Stack(nn.Module):
    """A language model of blocks: characters in, a score for each next character out."""

    def __init__(
        self,
        vocabulary: int,
        blocks: int,
        norm: str = "pre",
        *,
        kind: type[Block] = Block,
        ffn: Callable[[int], nn.Module] = FeedForward,
        make_norm: Callable[[int, float], nn.Module] = LayerNorm,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.positions = LearnedPositions(WINDOW, WIDTH)
        self.blocks = nn.ModuleList(
            kind(MultiHeadAttention(WIDTH, HEADS), ffn(WIDTH), norm, make_norm=make_norm)
            for _ in range(blocks)
        )
        # What leaves the last block is normalised in either order.
        self.norm = make_norm(WIDTH, 1e-5) if norm == "pre" else nn.Identity()
        self.read = nn.Linear(WIDTH, vocabulary)

    def forward(self, tokens: Tensor) -> Output:
        x = self.positions.embed(self.embedding(tokens))  # (B, T, D)
        for block in self.blocks:
            x, _ = block(x, causal=True, fused=True)
        return Output(self.read(self.norm(x)))  # (B, T, V)


def losses(make: Callable[[], Stack], ids: Tensor, settings: tuple, seed: int) -> list[float]:
    """The loss of each step, up to the one where it is no longer finite."""
    steps, rate, warmup = settings
    torch.manual_seed(seed)
    model = make()
    batches = Batches(Windows(ids, WINDOW), BATCH, seed=seed, drop_last=True)
    lr, seen = constant(rate, warmup), []
    with contextlib.suppress(NotFinite):
        fit(
            model, batches, loss=NextToken(), steps=steps, lr=lr, optimiser=adamw(), clip=None,
            device="cpu", seed=seed, on_step=lambda step, model, history: seen.append(history),
        )  # fmt: skip
    return seen[-1].loss if seen else []


def runs(make: Callable[[], Stack], ids: Tensor, settings: tuple, seeds: tuple) -> dict:
    """One setting with every seed: the mean curve, and where each run ended."""
    steps = settings[0]
    curves = [losses(make, ids, settings, seed) for seed in seeds]
    whole = [curve for curve in curves if len(curve) == steps]
    return {
        "ends": [
            round(sum(c[-LAST:]) / len(c[-LAST:]), 4) if len(c) == steps else None for c in curves
        ],
        "curve": [
            round(sum(sum(c[at : at + BIN]) for c in whole) / (BIN * len(whole)), 4)
            for at in range(0, steps if whole else 0, BIN)
        ],
    }


def jobs(vocabulary: int) -> Iterator[tuple[str, str, int, float, int, Callable[[], Stack]]]:
    """Every setting: section, variant, steps, rate, warm-up, and what makes the model."""

    def stack(*args, **choices) -> Callable[[], Stack]:
        return lambda: Stack(vocabulary, *args, **choices)

    n = PARTS["blocks"]
    variants = {
        "all parts": stack(n),
        "no feed-forward layer": stack(n, ffn=lambda width: Nothing()),
        "no feed-forward layer, three times the blocks": stack(3 * n, ffn=lambda width: Nothing()),
        "feed-forward layer without nonlinearity": stack(n, ffn=linear),
        "no residual path": stack(n, kind=WithoutResidual),
        "no norm": stack(n, make_norm=no_norm),
        "no gain and bias": stack(n, make_norm=bare),
        "norm after": stack(n, "post"),
        "norm after, no gain and bias": stack(n, "post", make_norm=bare),
    }
    for name, make in variants.items():
        for rate in PARTS["rates"]:
            yield "parts", name, PARTS["steps"], rate, PARTS["warmup"], make
    for blocks in DEPTH["blocks"]:
        for name, kind in (("with", Block), ("without", WithoutResidual)):
            for rate in DEPTH["rates"]:
                make = stack(blocks, kind=kind)
                yield "depth", f"{blocks} {name}", DEPTH["steps"], rate, DEPTH["warmup"], make
    for norm in ("pre", "post"):
        for warmup in ORDER["warmup"]:
            for rate in ORDER["rates"]:
                make = stack(ORDER["blocks"], norm)
                yield "order", f"{norm} {warmup}", ORDER["steps"], rate, warmup, make


def measured(quick: bool) -> dict[str, object]:
    """The three comparisons, by variant and rate."""
    torch.set_num_threads(1)  # these nets are too small to share
    text = data.load("prose").text[: 10_000 if quick else None]
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    results: dict[str, object] = {
        "task": {"characters": len(ids), "vocabulary": len(tokens), "window": WINDOW,
                 "batch": BATCH, "width": WIDTH, "heads": HEADS, "steps in a bin": BIN,
                 "steps judged": LAST},
        "settings": {"parts": PARTS, "depth": DEPTH, "order": ORDER},
    }  # fmt: skip
    for section, variant, steps, rate, warmup, make in jobs(len(tokens)):
        settings = (2 if quick else steps, rate, min(warmup, 2) if quick else warmup)
        found = runs(make, ids, settings, SEEDS[:1] if quick else SEEDS)
        found = {"parameters": sum(p.numel() for p in make().parameters()), **found}
        results.setdefault(section, {}).setdefault(variant, {})[f"{rate:g}"] = found
    return results


if __name__ == "__main__":
    keep_record("block-parts", __doc__, measured, seed=SEEDS[0])
