"""Does the root in the scores keep a head learning, or the size of its initial weights?

One head of self-attention learns to look up a value by its key. Three arms: scores divided by the
root of d_k; unscaled scores; and unscaled scores with W_Q initialised smaller by the same factor.
All have the same steps and batches. Each arm's rate is searched on two seeds used for nothing else,
by the mean loss over all steps, until the best rate has a worse one on each side; five seeds, the
same for all arms, are reported. A run counts as learned at the first step at which the last 50
steps have a mean loss below 0.1.

Six minutes on one thread.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from coursebook.measuring import bracketed, keep_record
from tfcourse.attention import SelfAttention, scaled_dot_product_attention

SEARCHED, SEEDS = (110, 111), (20, 21, 22, 23, 24)
RATES, FIRST = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (1e-3, 3e-3)
STEPS, BATCH, MEAN_OF, LEARNED, BIN = 3000, 64, 50, 0.1, 50
KEYS, VALUES, PAIRS, WIDTH, D_K = 64, 16, 16, 64, 64
#: Factors for the scores, and for the initial W_Q.
ARMS = {
    "divided": (D_K**-0.5, 1.0),
    "as they are": (1.0, 1.0),
    "as they are, W_Q smaller": (1.0, D_K**-0.5),
}


class LookUp(nn.Module):
    """Pairs of a key and a value, then a key to ask for: one head, a linear output layer."""

    def __init__(self, scale: float, smaller: float) -> None:
        super().__init__()
        self.key = nn.Embedding(KEYS, WIDTH)
        self.value = nn.Embedding(VALUES + 1, WIDTH)  # the last one asks
        self.attention = SelfAttention(WIDTH, d_k=D_K)
        self.read = nn.Linear(WIDTH, VALUES)
        self.scale = scale
        with torch.no_grad():
            self.attention.W_Q.mul_(smaller)

    def forward(self, keys: Tensor, values: Tensor) -> Tensor:
        q, k, v = self.attention.project(self.key(keys) + self.value(values))  # (B, 17, 64)
        out, _ = scaled_dot_product_attention(q, k, v, scale=self.scale)
        return self.read(out[:, -1])


def drawn(generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """A batch: keys and values ``(B, 17)``, the last of each asking, and the answers."""
    keys = torch.rand(BATCH, KEYS, generator=generator).argsort(1)[:, :PAIRS]
    values = torch.randint(VALUES, (BATCH, PAIRS), generator=generator)
    place = torch.randint(PAIRS, (BATCH, 1), generator=generator)
    ask = torch.full((BATCH, 1), VALUES)
    asked = torch.cat([keys, keys.gather(1, place)], 1), torch.cat([values, ask], 1)
    return *asked, values.gather(1, place)[:, 0]


def losses(arm: str, rate: float, seed: int, steps: int) -> list[float]:
    """The loss of every step, up to the first that is not finite."""
    torch.manual_seed(seed)
    model = LookUp(*ARMS[arm])
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    generator = torch.Generator().manual_seed(seed)
    seen = []
    for _ in range(steps):
        keys, values, answer = drawn(generator)
        loss = F.cross_entropy(model(keys, values), answer)
        if not loss.isfinite():
            break
        seen.append(loss.item())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return seen


def learned_at(curve: list[float]) -> int | None:
    """The first step at which the last ``MEAN_OF`` have a mean loss below ``LEARNED``."""
    means = torch.tensor(curve).unfold(0, min(MEAN_OF, len(curve)), 1).mean(-1)
    found = (means < LEARNED).nonzero()
    return int(found[0]) + MEAN_OF if len(found) else None


def measured(quick: bool) -> dict[str, Any]:
    """Each arm's search, and for every seed when it learned, its final loss and its curve."""
    torch.set_num_threads(1)  # these networks are too small to share
    steps, searched, seeds = (4, SEARCHED[:1], SEEDS[:1]) if quick else (STEPS, SEARCHED, SEEDS)
    results: dict[str, Any] = {
        "settings": {
            "steps": STEPS, "batch": BATCH, "d_k": D_K, "seeds": SEEDS, "learned": LEARNED,
            "mean of": MEAN_OF, "steps in a bin": BIN,
        },
        "arms": {},
    }  # fmt: skip
    for arm in ARMS:

        def cost(rate: float, arm: str = arm) -> float:
            curves = [losses(arm, rate, seed, steps) for seed in searched]
            whole = all(len(curve) == steps for curve in curves)
            return sum(map(sum, curves)) / (steps * len(curves)) if whole else math.inf

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        curves = [losses(arm, rate, seed, steps) for seed in seeds]
        results["arms"][arm] = {
            "search": search,
            "rate": rate,
            "learned at": [learned_at(curve) for curve in curves],
            "ends": [round(sum(c[-MEAN_OF:]) / len(c[-MEAN_OF:]), 4) for c in curves],
            "curves": [
                [round(sum(c[at : at + BIN]) / BIN, 3) for at in range(0, len(c), BIN)]
                for c in curves
            ],
        }
        print(arm, {k: v for k, v in results["arms"][arm].items() if k != "curves"}, flush=True)
    return results


if __name__ == "__main__":
    keep_record("scaled-scores", __doc__, measured, seed=SEEDS[0], judged_by=("self-scale",))
