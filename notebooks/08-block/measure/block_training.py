"""What each part of a block contributes to training: small character language models.

Every batch is new text, so the loss of a step is a loss on unseen text; a run is evaluated by the
mean of its last steps. Each variant's learning rate is first searched on two seeds used for nothing
else, over rates about a factor of three apart, until the best has a worse one on each side. Then it
is trained at that rate on the reported seeds, the same for all variants. Gradients are not clipped;
a run whose loss becomes infinite or NaN counts as diverged (null).

- `order`: norm before or after each part, six and twelve blocks, matrices drawn after Glorot
  (Xavier) or after GPT-2's rule carried over to this width, with and without a warm-up of 40 of the
  120 steps.
- `norm`: four blocks with the norm before, after or not at all, with and without gain and bias.
- `deep`: twelve blocks with the norm before each part and without norm, on seeds of its own.

About ten minutes of one core. ``--device cuda`` trains on WikiText-2, with 12 and 24 wider blocks,
longer windows and 600 steps, into a record of its own.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook.measuring import bracketed, keep_record, mean_end
from coursebook.measuring.stack import HEADS, WIDTH, WINDOW, Stack
from tfcourse import data
from tfcourse.layers import LayerNorm
from tfcourse.tokenizers import CharTokenizer

BATCH = 8
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
#: The search begins with these rates.
FIRST = (3e-3, 1e-2)
SEARCHED, SEEDS, LAST, BIN = (110, 111), (10, 11, 12, 13, 14), 50, 25


@dataclass(frozen=True)
class Size:
    """What to train on a device.

    Attributes
    ----------
    text:
        The corpus whose characters are read.
    orders, some:
        Numbers of blocks of the section `order`, the last of which is also that of `deep`; and
        number of blocks of `norm`.
    width, heads, window, batch:
        Width, heads and context length of the models, and windows per step.
    steps, warmup, long_warmup:
        Steps of a run, and how many of them are warm-up; in `order` it is none or ``long_warmup``.
    """

    text: str
    orders: tuple[int, ...]
    some: int
    width: int
    heads: int
    window: int
    batch: int
    steps: int
    warmup: int
    long_warmup: int


SIZES = {
    "cpu": Size("prose", (6, 12), 4, WIDTH, HEADS, WINDOW, BATCH, 120, 20, 40),
    "cuda": Size("wikitext-2", (12, 24), 12, 256, 4, 256, 16, 600, 50, 150),
    "quick": Size("prose", (1, 2), 1, WIDTH, HEADS, WINDOW, BATCH, 2, 2, 2),
}


def bare(width: int, eps: float) -> nn.Module:
    """The norm without gain and bias."""
    return LayerNorm(width, eps, affine=False)


def no_norm(width: int, eps: float) -> nn.Module:
    """Replaces a norm: returns its input unchanged."""
    return nn.Identity()


def as_in_gpt2(blocks: nn.ModuleList, scaled: bool = True) -> None:
    """Initialise the blocks' matrices as GPT-2 does at width 768: 0.02, residuals scaled down.

    At other widths the standard deviation is proportional to one over the root of the width. That
    rule is ours; GPT-2 takes 0.02 at every width. There are two sums per block, so the outputs that
    are added are divided by the root of twice the number of blocks, if ``scaled``.
    """
    width = len(blocks[0].attention.W_Q)
    std = 0.02 * math.sqrt(768 / width)
    for block in blocks:
        for name, p in block.named_parameters():
            if p.dim() > 1:
                added = scaled and name.endswith(("W_O", "W_2"))
                nn.init.normal_(p, std=std / math.sqrt(2 * len(blocks)) if added else std)


#: How the blocks' matrices are drawn: as they are by default, or anew.
INITS = {"xavier": None, "gpt2": as_in_gpt2}


def losses(
    make: Callable[[], nn.Module], ids: Tensor, rate: float, plan: tuple, seed: int,
    window: int = WINDOW, batch: int = BATCH, device: str = "cpu",
) -> list:  # fmt: skip
    """The loss of each step, up to the first that is not finite."""
    steps, warmup = plan
    torch.manual_seed(seed)
    model = make().to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, fused=True)
    # Every window is read once, in an order that depends on the seed.
    generator = torch.Generator().manual_seed(seed)
    places = torch.randperm(len(ids) // (window + 1), generator=generator) * (window + 1)
    seen = []
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / max(warmup, 1))
        at = places[step * batch : (step + 1) * batch]
        read = ids[at[:, None] + torch.arange(window + 1)].to(device)
        loss = F.cross_entropy(model(read[:, :-1]).logits.flatten(0, 1), read[:, 1:].flatten())
        if not loss.isfinite():
            break
        seen.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return seen


def ended(curve: list, steps: int) -> float | None:
    """The mean of the last steps; ``None`` if the run diverged."""
    last = curve[-min(LAST, steps) :]
    return round(sum(last) / len(last), 4) if len(curve) == steps else None


def searched(
    make: Callable, ids: Tensor, plan: tuple, seeds: tuple, **run: Any
) -> tuple[float, dict]:
    """The best rate, with a worse one on each side, and the mean loss at every rate tried."""

    def end(rate: float, seed: int) -> float | None:
        return ended(losses(make, ids, rate, plan, seed, **run), plan[0])

    return bracketed(RATES, FIRST, mean_end(end, seeds))


def variants(section: str, vocabulary: int, size: Size) -> Iterator[tuple[str, int, Callable]]:
    """Every variant of a section: its name, its warm-up, and the function that makes the model."""
    stack = partial(
        partial, Stack, vocabulary, width=size.width, heads=size.heads, window=size.window
    )
    some, deep, warmup = size.some, size.orders[-1], size.warmup
    if section == "order":
        for blocks, init in itertools.product(size.orders, INITS):
            for order, long in itertools.product(("pre", "post"), (0, size.long_warmup)):
                name = f"{blocks} {init} {order} {long}"
                yield name, long, stack(blocks=blocks, order=order, init=INITS[init])
    elif section == "norm":
        yield "norm before", warmup, stack(blocks=some)
        yield "norm before, no gain and bias", warmup, stack(blocks=some, make_norm=bare)
        yield "no norm", warmup, stack(blocks=some, make_norm=no_norm)
        yield "norm after", warmup, stack(blocks=some, order="post")
        yield (
            "norm after, no gain and bias",
            warmup,
            stack(blocks=some, order="post", make_norm=bare),
        )
    else:
        yield f"{deep} norm before", warmup, stack(blocks=deep)
        yield f"{deep} no norm", warmup, stack(blocks=deep, make_norm=no_norm)


def trained(
    make: Callable[[], Stack], ids: Tensor, plan: tuple, search: tuple, seeds: tuple, **run: Any
) -> dict[str, object]:
    """A variant's search, best rate, final losses and mean curve."""
    rate, tried = searched(make, ids, plan, search, **run)
    curves = [losses(make, ids, rate, plan, seed, **run) for seed in seeds]
    whole = [curve for curve in curves if len(curve) == plan[0]]
    return {
        "parameters": sum(p.numel() for p in make().parameters()),
        "search": tried,
        "rate": rate,
        "ends": [ended(curve, plan[0]) for curve in curves],
        "curve": [
            round(statistics.mean(loss for c in whole for loss in c[at : at + BIN]), 3)
            for at in range(0, plan[0] if whole else 0, BIN)
        ],
    }


SECTIONS = ("order", "norm", "deep")


def measured(quick: bool, once: Callable[..., Any], size: Size, device: str) -> dict[str, Any]:
    """Every variant of each section."""
    torch.set_num_threads(1)  # these networks are too small to share
    text = data.load(size.text, "train").text[: 10_000 if quick else None]
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    found: dict[str, Any] = {
        "settings": {
            "text": size.text, "width": size.width, "heads": size.heads, "window": size.window,
            "batch": size.batch, "steps": dict.fromkeys(SECTIONS, size.steps),
            "warmup": size.warmup, "steps judged": LAST, "steps in a bin": BIN,
            "seeds searched": SEARCHED, "seeds": SEEDS,
        },
    }  # fmt: skip
    for section in SECTIONS:
        search, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
        if section == "deep":
            search, seeds = (tuple(seed + 10 for seed in some) for some in (search, seeds))
        found[section] = {
            name: once(
                f"{section}-{name}",
                partial(
                    trained, make, ids, (size.steps, warmup), search, seeds,
                    window=size.window, batch=size.batch, device=device,
                ),
            )
            for name, warmup, make in variants(section, len(tokens), size)
        }  # fmt: skip
    return found


if __name__ == "__main__":
    keep_record(
        "block-training", __doc__, measured, seed=SEEDS[0],
        judged_by=("block-prepost", "block-norm"), resumed=True, sizes=SIZES,
    )  # fmt: skip
