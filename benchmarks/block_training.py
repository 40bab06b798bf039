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

About ten minutes of one core. `--keep FOLDER` stores each finished section and reads it again;
`--only SECTION` runs one of them and writes no record.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from _measuring import bracketed, mean_end
from _stack import HEADS, WIDTH, WINDOW, Stack
from torch import Tensor, nn

from coursebook import records
from tfcourse import data
from tfcourse.layers import LayerNorm
from tfcourse.tokenizers import CharTokenizer

BATCH = 8
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
#: The search begins with these rates.
FIRST = (3e-3, 1e-2)
SEARCHED, SEEDS, LAST, BIN = (110, 111), (10, 11, 12, 13, 14), 50, 25
STEPS = {"order": 120, "norm": 120, "deep": 120}
WARMUP = 20


def bare(width: int, eps: float) -> nn.Module:
    """The norm without gain and bias."""
    return LayerNorm(width, eps, affine=False)


def no_norm(width: int, eps: float) -> nn.Module:
    """Replaces a norm: returns its input unchanged."""
    return nn.Identity()


def as_in_gpt2(blocks: nn.ModuleList) -> None:
    """Initialise the blocks' matrices as GPT-2 does: 0.02 at width 768, residuals scaled down.

    The standard deviation is proportional to one over the root of the width. There are two sums per
    block, so the outputs that are added are divided by the root of twice the number of blocks.
    """
    width = len(blocks[0].attention.W_Q)
    std = 0.02 * math.sqrt(768 / width)
    for block in blocks:
        for name, p in block.named_parameters():
            if p.dim() > 1:
                added = name.endswith(("W_O", "W_2"))
                nn.init.normal_(p, std=std / math.sqrt(2 * len(blocks)) if added else std)


#: How the blocks' matrices are drawn: as they are by default, or anew.
INITS = {"xavier": None, "gpt2": as_in_gpt2}


def losses(make: Callable[[], nn.Module], ids: Tensor, rate: float, plan: tuple, seed: int) -> list:
    """The loss of each step, up to the first that is not finite."""
    steps, warmup = plan
    torch.manual_seed(seed)
    model = make()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, fused=True)
    # Every window is read once, in an order that depends on the seed.
    generator = torch.Generator().manual_seed(seed)
    places = torch.randperm(len(ids) // (WINDOW + 1), generator=generator) * (WINDOW + 1)
    seen = []
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / max(warmup, 1))
        at = places[step * BATCH : (step + 1) * BATCH]
        window = ids[at[:, None] + torch.arange(WINDOW + 1)]
        loss = F.cross_entropy(model(window[:, :-1]).logits.flatten(0, 1), window[:, 1:].flatten())
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


def searched(make: Callable, ids: Tensor, plan: tuple, seeds: tuple) -> tuple[float, dict]:
    """The best rate, with a worse one on each side, and the mean loss at every rate tried."""

    def end(rate: float, seed: int) -> float | None:
        return ended(losses(make, ids, rate, plan, seed), plan[0])

    return bracketed(RATES, FIRST, mean_end(end, seeds))


def variants(section: str, vocabulary: int) -> Iterator[tuple[str, int, Callable[[], Stack]]]:
    """Every variant of a section: its name, its warm-up, and the function that makes the model."""

    def stack(*args, **choices) -> Callable[[], Stack]:
        return lambda: Stack(vocabulary, *args, **choices)

    if section.startswith("order"):
        _, blocks, init = section.split("-")
        for order in ("pre", "post"):
            for warmup in (0, 40):
                name = f"{blocks} {init} {order} {warmup}"
                yield name, warmup, stack(int(blocks), order, init=INITS[init])
    elif section == "norm":
        yield "norm before", WARMUP, stack(4)
        yield "norm before, no gain and bias", WARMUP, stack(4, make_norm=bare)
        yield "no norm", WARMUP, stack(4, make_norm=no_norm)
        yield "norm after", WARMUP, stack(4, "post")
        yield "norm after, no gain and bias", WARMUP, stack(4, "post", make_norm=bare)
    else:
        yield "12 norm before", WARMUP, stack(12)
        yield "12 no norm", WARMUP, stack(12, make_norm=no_norm)


def measured(section: str, quick: bool) -> dict[str, object]:
    """One section: each variant's search, best rate, final losses and mean curve."""
    torch.set_num_threads(1)  # these networks are too small to share
    text = data.load("prose").text[: 10_000 if quick else None]
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    steps = 2 if quick else STEPS[section.split("-")[0]]
    search, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    if section == "deep":
        search, seeds = ([seed + 10 for seed in some] for some in (search, seeds))
    found = {}
    for name, warmup, make in variants(section, len(tokens)):
        plan = (steps, min(warmup, steps))
        rate, tried = searched(make, ids, plan, search)
        curves = [losses(make, ids, rate, plan, seed) for seed in seeds]
        whole = [curve for curve in curves if len(curve) == steps]
        found[name] = {
            "parameters": sum(p.numel() for p in make().parameters()),
            "search": tried,
            "rate": rate,
            "ends": [ended(curve, steps) for curve in curves],
            "curve": [
                round(sum(sum(c[at : at + BIN]) for c in whole) / (BIN * len(whole)), 3)
                for at in range(0, steps if whole else 0, BIN)
            ],
        }
        print(name, {k: v for k, v in found[name].items() if k != "curve"}, flush=True)
    return found


ORDERS = tuple(f"order-{blocks}-{init}" for blocks in (6, 12) for init in ("xavier", "gpt2"))
SECTIONS = (*ORDERS, "norm", "deep")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    parser.add_argument("--only", choices=SECTIONS, help="one section; writes no record")
    parser.add_argument("--keep", type=Path, help="where finished sections are stored")
    options = parser.parse_args()
    judged = not (options.quick or options.only)
    stated = records.conditions("block-prepost", "block-norm") if judged else None
    found = {}
    for section in [options.only] if options.only else SECTIONS:
        kept = options.keep and options.keep / f"{section}.json"
        if kept and kept.is_file():
            found[section] = json.loads(kept.read_text("utf-8"))
            continue
        found[section] = measured(section, options.quick)
        if kept:
            kept.write_text(json.dumps(found[section]), "utf-8")
    if not judged:
        return
    results = {
        "settings": {
            "width": WIDTH, "heads": HEADS, "window": WINDOW, "batch": BATCH, "steps": STEPS,
            "warmup": WARMUP, "steps judged": LAST, "steps in a bin": BIN,
            "seeds searched": SEARCHED, "seeds": SEEDS,
        },
        "order": {name: arm for section in ORDERS for name, arm in found[section].items()},
        **{section: found[section] for section in SECTIONS[len(ORDERS) :]},
    }  # fmt: skip
    sys.argv[1:] = []  # how it was split into runs is not part of the record
    torch.set_num_threads(1)
    print(records.write("block-training", results, seed=SEEDS[0], stated=stated).name)


if __name__ == "__main__":
    main()
