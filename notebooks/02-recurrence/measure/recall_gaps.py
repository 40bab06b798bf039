"""Recall over a gap: how many characters of prose three recurrent cells can carry symbols across.

A sequence is five random symbols, a piece of English prose, a cue, and the same symbols again. A
plain network, a GRU and an LSTM with equally many parameters (within 1 %) learn it as language
models: they predict the prose, too. The gaps of training are log-uniform; the longest grows from 0
to 511 characters over the first three quarters of the steps. (With all gaps from the start, a plain
network does not learn the task even without a gap.) All are tested on other prose, up to four times
as far. Same steps and sequences for all. The plain network's rate is searched in trainings half as
long, on two seeds used for nothing else, by the mean loss of the repeated symbols over the gaps of
training, until the best has a worse one on each side. The gated cells have the rates that were best
when all gaps came from the start. Every seed is kept. About five minutes of one thread; finished
runs are stored with ``--keep``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from coursebook.measuring import bracketed, keep_record, mean_end
from tfcourse import data
from tfcourse.flops import count_parameters
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.tokenizers import CharTokenizer
from tfcourse.training import NextToken, NotFinite, cosine, fit

SEARCHED, SEEDS = (140, 141), (61, 62, 63, 64, 65)
#: The plain network's rates, and those tried first; and the rates of the others.
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2), (3e-3, 1e-2)
GATED = {"gru": 1e-2, "lstm": 3e-2}
#: Number of symbols, and of their kinds.
SYMBOLS, KINDS = 5, 8
#: Trained on all gaps up to the last of the first, tested at those beyond, too.
TRAINED, BEYOND = (0, 4, 16, 64, 256, 512), (1024, 2048)
#: Width of an embedding, and of each cell's states.
EMBEDDED, WIDTHS = 16, {"rnn": 118, "gru": 73, "lstm": 64}
STEPS, SEARCH_STEPS, BATCH, TEST = 2_000, 1_000, 32, 200
#: Share of the steps over which the longest gap grows.
GROWING = 0.75
#: The plain network's weights of its inputs, times those of unit variance, which fill the tanh.
INPUTS = 0.3
#: Number of last steps whose mean loss is kept, halfway and at the end.
LAST = 200


class Sequences:
    """Endless batches ``(tokens (B, T), following (B, T))``, for a training of ``steps`` steps."""

    def __init__(self, split: str, tokens: CharTokenizer, seed: int, steps: int = 0) -> None:
        self.first, self.pad, self.growing = len(tokens), tokens.pad, steps * GROWING
        self.text = torch.tensor(tokens.encode(data.load("prose", split).text))
        self.draws = torch.Generator().manual_seed(seed)

    def batch(self, gap: int, rows: int) -> tuple[Tensor, Tensor]:
        """Sequences with this gap; which symbols come first cannot be predicted, nor is asked."""
        said = self.first + torch.randint(KINDS, (rows, SYMBOLS), generator=self.draws)
        start = torch.randint(len(self.text) - gap, (rows, 1), generator=self.draws)
        prose = self.text[start + torch.arange(gap)]
        cue = torch.full((rows, 1), self.first + KINDS)
        ids = torch.cat([said, prose, cue, said], dim=1)
        following = ids[:, 1:].clone()
        following[:, : SYMBOLS - 1] = self.pad
        return ids[:, :-1], following

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for step in count():
            longest = TRAINED[-1] ** min(1.0, step / self.growing)  # of all gaps plus 1
            gap = int(longest ** torch.rand((), generator=self.draws).item()) - 1
            yield self.batch(gap, BATCH)


@torch.no_grad()
def judge(model: nn.Module, sequences: Sequences, gap: int, rows: int) -> tuple[float, float]:
    """The repeated symbols: the fraction that is right, and the loss."""
    ids, following = sequences.batch(gap, rows)
    logits = model(ids).logits[:, -SYMBOLS:]
    asked = following[:, -SYMBOLS:]
    right = (logits.argmax(dim=-1) == asked).double().mean().item()
    return right, F.cross_entropy(logits.flatten(0, 1), asked.flatten()).item()


def trained(
    cell: str, tokens: CharTokenizer, seed: int, rate: float, steps: int, rows: int
) -> dict[str, Any]:
    """Train a network; accuracy and loss of the repeated symbols at each gap."""
    torch.manual_seed(seed)
    vocabulary = len(tokens) + KINDS + 1
    model = RecurrentLM(RecurrentLMConfig(vocabulary, EMBEDDED, WIDTHS[cell], cell=cell))
    if cell == "rnn":
        (only,) = model.recurrent.each_cell()
        nn.init.normal_(only.W, std=INPUTS * EMBEDDED**-0.5)
    found: dict[str, Any] = {
        "seed": seed, "rate": rate, "parameters": count_parameters(model), "loss": None,
    }  # fmt: skip
    try:
        history = fit(
            model, Sequences("train", tokens, seed, steps), loss=NextToken(ignore=tokens.pad),
            steps=steps, lr=cosine(rate, steps, warmup=steps // 10), device="cpu", seed=seed,
        )  # fmt: skip
    except NotFinite:
        return found
    # The search looks at other prose than the test.
    for split, gaps in (("validation", TRAINED), ("test", TRAINED + BEYOND)):
        sequences = Sequences(split, tokens, 0)
        judged = {str(gap): judge(model.eval(), sequences, gap, rows) for gap in gaps}
        if split == "validation":
            found["loss"] = round(sum(loss for _, loss in judged.values()) / len(judged), 6)
        else:
            found["accuracy"] = {gap: round(right, 4) for gap, (right, _) in judged.items()}
    found["loss of all tokens"] = {
        str(step): round(sum(history.loss[:step][-LAST:]) / min(step, LAST), 3)
        for step in (steps // 2, steps)
    }
    return found


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """For each cell: the search, and every run at the best rate."""
    torch.set_num_threads(1)  # these networks are too small to share
    tokens = CharTokenizer.train(
        [data.load("prose", split).text for split in ("train", "validation", "test")]
    )
    seeds, searched = (SEEDS[:1], SEARCHED[:1]) if quick else (SEEDS, SEARCHED)
    n, few, rows = (4, 4, 8) if quick else (STEPS, SEARCH_STEPS, TEST)

    def run(cell: str, rate: float, seed: int, steps: int) -> dict[str, Any]:
        name = f"{cell}-{rate:g}-{seed}"
        return once(name, lambda: trained(cell, tokens, seed, rate, steps, rows))

    def loss(rate: float, seed: int) -> float | None:
        return run("rnn", rate, seed, few)["loss"]

    rate, search = bracketed(FIRST if quick else RATES, FIRST, mean_end(loss, searched))
    cells = {
        cell: {"rate": rate, "ends": [run(cell, rate, seed, n) for seed in seeds]}
        for cell, rate in {"rnn": rate, **GATED}.items()
    }
    cells["rnn"]["search"] = search
    return {
        "settings": {
            "trained": TRAINED, "beyond": BEYOND, "symbols": SYMBOLS, "kinds": KINDS,
            "steps": STEPS, "steps of the search": SEARCH_STEPS, "growing": GROWING,
            "batch": BATCH, "test": TEST, "widths": WIDTHS, "seeds": SEEDS,
            "vocabulary": len(tokens) + KINDS + 1,
        },
        "cells": cells,
    }  # fmt: skip


if __name__ == "__main__":
    keep_record(
        "recall-gaps", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-gates",), resumed=True
    )
