"""Today's block compared with that of 2017, at equal compute: small character language models.

Four models of four blocks read the same text for the same number of steps:

- `2017`: norm after each part, ReLU, sinusoidal positions, a head of keys for each head of queries;
- `2017, norm before`: the same but for the place of the norm, and a norm at the end;
- `2017, norm before, rotary`: the same with rotary positions in place of the sinusoidal ones;
- `today`: RMSNorm before each part, SwiGLU, rotary positions, two heads of keys and values for four
  heads of queries, no learned vectors.

SwiGLU's width is chosen so that a forward pass takes as many operations as in `2017`, to 1 %. Rates
are searched for each, with a worse one on each side, on seeds used for nothing else, as in
`block_training.py`. A run is evaluated by the mean of its last 50 steps, which is loss on new text.
Written down before the run: two models differ if the 95 % interval of the mean difference over
paired seeds (Student's t) excludes zero; otherwise this run does not decide. About seven minutes
of one core.
"""

from __future__ import annotations

import math
import statistics

import block_training
import torch
from block_training import ended, losses, searched
from scipy import stats
from torch import Tensor, nn

from coursebook.measuring import keep_record
from coursebook.measuring.stack import WIDTH, WINDOW
from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.flops import block_flops, count_parameters
from tfcourse.layers import Block, FeedForward, LayerNorm, RMSNorm, SwiGLU
from tfcourse.models.common import Output
from tfcourse.positions import Positions, RotaryPositions, SinusoidalPositions
from tfcourse.tokenizers import CharTokenizer

BLOCKS, STEPS, WARMUP = 4, 400, 40
HEADS, SHARED = 4, 2
SEARCHED, SEEDS = (300, 301), (0, 1, 2, 3, 4)
ROTARY = "2017, norm before, rotary"
NAMES = ("2017", "2017, norm before", ROTARY, "today")


def block(name: str, d_ff: int | None = None) -> Block:
    """One block of a model."""
    if name == "today":
        attention = MultiHeadAttention(
            WIDTH, HEADS, num_kv_heads=SHARED, bias=False,
            positions=RotaryPositions(WIDTH // HEADS, "halves"),
        )  # fmt: skip
        return Block(attention, SwiGLU(WIDTH, d_ff), "pre", make_norm=RMSNorm)
    order = "post" if name == "2017" else "pre"
    positions = RotaryPositions(WIDTH // HEADS, "halves") if name == ROTARY else None
    return Block(MultiHeadAttention(WIDTH, HEADS, positions=positions), FeedForward(WIDTH), order)


def equal_width() -> int:
    """The SwiGLU width at which today's block takes as many operations as that of 2017."""
    wanted = block_flops(block("2017"), WINDOW)
    return min(
        range(1, 8 * WIDTH), key=lambda d: abs(block_flops(block("today", d), WINDOW) - wanted)
    )


class Stack(nn.Module):
    """A language model of blocks: characters in, a score for each next character out."""

    def __init__(self, name: str, vocabulary: int) -> None:
        super().__init__()
        today = name == "today"
        self.embedding = nn.Embedding(vocabulary, WIDTH)
        self.scale = 1.0 if today else math.sqrt(WIDTH)
        nn.init.normal_(self.embedding.weight, std=1 / self.scale)
        self.positions = Positions() if today or name == ROTARY else SinusoidalPositions(WIDTH)
        d_ff = equal_width() if today else None
        self.blocks = nn.ModuleList(block(name, d_ff) for _ in range(BLOCKS))
        last = {"2017": nn.Identity, "today": lambda: RMSNorm(WIDTH)}
        self.norm = last.get(name, lambda: LayerNorm(WIDTH))()
        self.read = nn.Linear(WIDTH, vocabulary, bias=not today)

    def forward(self, tokens: Tensor) -> Output:
        x = self.positions.embed(self.embedding(tokens) * self.scale)  # (B, T, D)
        for one in self.blocks:
            x, _ = one(x, causal=True, fused=True)
        return Output(self.read(self.norm(x)))  # (B, T, V)


def difference(ours: list[float], others: list[float]) -> dict[str, object]:
    """The mean of the paired differences, and its 95 % interval."""
    each = [a - b for a, b in zip(ours, others, strict=True)]
    mean = statistics.mean(each)
    reach = 0.0
    if len(each) > 1:
        t = float(stats.t.ppf(0.975, len(each) - 1))
        reach = t * statistics.stdev(each) / math.sqrt(len(each))
    interval = [round(mean - reach, 4), round(mean + reach, 4)]
    settled = not interval[0] <= 0 <= interval[1]
    return {"mean": round(mean, 4), "95 % interval": interval, "settled": settled}


def measured(quick: bool) -> dict[str, object]:
    torch.set_num_threads(1)  # these networks are too small to share
    text = data.load("prose").text
    tokens = CharTokenizer.train([text])
    ids = torch.tensor(tokens.encode(text))
    steps, search, seeds = (2, SEARCHED[:1], SEEDS[:1]) if quick else (STEPS, SEARCHED, SEEDS)
    plan, found = (steps, min(WARMUP, steps)), {}
    for name in NAMES:

        def make(name: str = name) -> Stack:
            return Stack(name, len(tokens))

        rate, tried = searched(make, ids, plan, search)
        curves = [losses(make, ids, rate, plan, seed) for seed in seeds]
        whole = [curve for curve in curves if len(curve) == steps]
        bins = range(0, steps - 24, 25) if whole else ()
        found[name] = {
            "parameters": count_parameters(make()),
            "operations of a block": block_flops(make().blocks[0], WINDOW),
            "search": tried, "rate": rate, "ends": [ended(curve, steps) for curve in curves],
            "curve": [round(statistics.mean(x for c in whole for x in c[at : at + 25]), 3)
                      for at in bins],
        }  # fmt: skip
        print(name, {k: v for k, v in found[name].items() if k != "curve"}, flush=True)
    return {
        "settings": {
            "width": WIDTH, "heads": HEADS, "heads of keys and values today": SHARED,
            "width of SwiGLU": equal_width(), "blocks": BLOCKS, "window": WINDOW,
            "batch": block_training.BATCH, "steps": STEPS, "warmup": WARMUP,
            "steps judged": block_training.LAST, "seeds searched": SEARCHED, "seeds": SEEDS,
        },
        "models": found,
        "differences": {
            f"{ours} minus {other}": difference(found[ours]["ends"], found[other]["ends"])
            for ours, other in (("today", "2017"), ("2017, norm before", "2017"),
                                ("today", "2017, norm before"),
                                (ROTARY, "2017, norm before"), ("today", ROTARY))
        },
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("block-today", __doc__, measured, seed=SEEDS[0])
