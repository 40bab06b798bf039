"""Recall over a gap: how many empty tokens three recurrent cells can keep a value across.

A token holds one of eight values, then come empty tokens, then the value is asked for. A plain
network, a GRU and an LSTM with equally many parameters (within 3 %) are trained at each gap, and
the gated ones also on gaps of all lengths up to 40, to be tested far beyond. Same steps and
sequences for all. Each cell's rate is searched on two seeds used for nothing else, by the mean
accuracy over all gaps, until the best has a worse one on each side. Every seed is kept. About five
minutes on one thread.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from _measuring import bracketed, keep_record
from torch import Tensor, nn

from tfcourse import data
from tfcourse.batching import Batches, pad
from tfcourse.models.counting import count_parameters
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import NextToken, fit

SEARCHED, SEEDS = (110, 111), (11, 12, 13, 14, 15)
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1), (3e-3, 1e-2)
TASK = {"pairs": 1, "keys": 1, "values": 8, "fillers": 4}
GAPS = (4, 8, 16, 32, 64)
#: Trained on all gaps up to the first number, tested at the others.
MIXED, FAR = 40, (5, 40, 80, 160, 320)
WIDTHS = {"rnn": 66, "gru": 36, "lstm": 31}
STEPS, MIXED_STEPS, BATCH, EXAMPLES = 160, 200, 32, 4_000


def collate(rows: list[tuple[list[int], int]]) -> tuple[Tensor, Tensor]:
    """Inputs, and the answer at only the last position."""
    ids, lengths = pad([ids for ids, _ in rows], 0)
    target = torch.zeros_like(ids)
    answers = torch.tensor([answer for _, answer in rows])
    target[torch.arange(len(rows)), lengths - 1] = answers
    return ids, target


def rows_of(symbols: WordTokenizer, split: str, gap: int | tuple, **many: int) -> list:
    """Ids and the id of the answer."""
    return [
        (symbols.encode(" ".join(e.tokens)), symbols.id(e.answer))
        for e in data.load("recall", split, gap=gap, **TASK, **many)
    ]


def trained(
    cell: str, symbols: WordTokenizer, rows: list, seed: int, rate: float, steps: int
) -> nn.Module:
    """A network trained for this number of steps."""
    torch.manual_seed(seed)
    model = RecurrentLM(RecurrentLMConfig(len(symbols), 16, WIDTHS[cell], cell=cell))
    batches = Batches(rows, BATCH, collate=collate, lengths=lambda r: len(r[0]), seed=seed)
    fit(model, batches, loss=NextToken(ignore=0), steps=steps, lr=rate, device="cpu")
    return model.eval()


@torch.no_grad()
def right(model: nn.Module, rows: list) -> float:
    """The fraction of correct answers."""
    ids, target = collate(rows)
    said = model(ids).logits.argmax(dim=-1)
    return (said == target)[target != 0].double().mean().item()


def measured(quick: bool) -> dict:
    """For each cell and seed: accuracy at each gap, and far beyond the gaps of training."""
    torch.set_num_threads(1)  # these networks are too small to share
    seeds, searched, gaps, steps = (
        (SEEDS[:1], SEARCHED[:1], GAPS[:1], 4) if quick else (SEEDS, SEARCHED, GAPS, STEPS)
    )
    train, test = ({"examples": 300}, {"held_out": 50}) if quick else (
        {"examples": EXAMPLES}, {"held_out": 400})  # fmt: skip
    symbols = WordTokenizer.train(
        [" ".join(e.tokens) for e in data.load("recall", **TASK)], special=("<pad>",)
    )
    learn = {gap: rows_of(symbols, "train", gap, **train) for gap in gaps}
    judge = {gap: rows_of(symbols, "test", gap, **test) for gap in {*gaps, *FAR}}
    choose = {gap: rows_of(symbols, "validation", gap, **test) for gap in gaps}
    mixed = rows_of(symbols, "train", (0, MIXED), **train)
    results: dict = {
        "settings": {"gaps": GAPS, "far": FAR, "mixed": MIXED, "steps": STEPS, "batch": BATCH,
                     "mixed steps": MIXED_STEPS, "widths": WIDTHS, "seeds": SEEDS},
        "chosen": {}, "parameters": {}, "gaps": {}, "far": {},
    }  # fmt: skip
    for cell in WIDTHS:

        def at(gap: int, seed: int, rate: float, rows: dict, cell: str = cell) -> float:
            return right(trained(cell, symbols, learn[gap], seed, rate, steps), rows[gap])

        def cost(rate: float, at: Callable = at) -> float:
            shares = [at(gap, seed, rate, choose) for gap in gaps for seed in searched]
            return 1 - sum(shares) / len(shares)

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        results["chosen"][cell] = {"search": search, "rate": rate}
        results["gaps"][cell] = {
            str(gap): [at(gap, seed, rate, judge) for seed in seeds] for gap in gaps
        }
        print(cell, results["chosen"][cell], results["gaps"][cell], flush=True)
        nets = [
            trained(cell, symbols, mixed, seed, rate, 4 if quick else MIXED_STEPS)
            for seed in seeds
        ]  # fmt: skip
        results["parameters"][cell] = count_parameters(nets[0])
        results["far"][cell] = {str(gap): [right(net, judge[gap]) for net in nets] for gap in FAR}
        print(cell, "far", results["far"][cell], flush=True)
    return results


if __name__ == "__main__":
    keep_record("recall-gaps", __doc__, measured, seed=SEEDS[0], judged_by=("rnn-gates",))
