"""A text model's loss against time: the Transformer compared with PyTorch's own LSTM and GRU.

Language models of tinyshakespeare's characters, in windows of 256, with as many parameters: a GPT
with rotary positions, and two layers of LSTM or GRU in the library's kernels. Each kind's learning
rate is searched on two seeds used for nothing else, by the validation loss of runs a third as long,
until the best has a worse one on each side; then come the reported seeds, with the same windows in
the same order for all kinds.

Time is measured separately: steps of each kind alternate, for lengths from 16 to 2,048 with the
same number of tokens in each batch, on one and two CPU threads. A loss does not depend on what else
a machine does, but a time does. So only the steps need an idle machine, and the time to a loss is
the number of steps to it times the time of a step at length 256. The target loss is the highest
final loss of any seed of any kind.

The first three of thirteen minutes measure the steps; finished parts are kept in ``--keep
FOLDER``. ``--device cuda`` trains larger models for longer, into a record of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from coursebook import course

sys.path[:0] = [str(course.Lesson(course.root(), "09-decoder").measure), str(Path(__file__).parent)]

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402
from translation_speed import milliseconds, step_of  # noqa: E402
from tying import gpt  # noqa: E402

from coursebook.measuring import bracketed, keep_record  # noqa: E402
from tfcourse import data  # noqa: E402
from tfcourse.batching import Batches, Windows  # noqa: E402
from tfcourse.evaluation import language_model_nll  # noqa: E402
from tfcourse.flops import count_parameters
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig  # noqa: E402
from tfcourse.training import NextToken, cosine, fit  # noqa: E402

SEARCHED, SEEDS = (210, 211), (20, 21, 22)
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
LENGTH, LENGTHS = 256, (16, 64, 256, 1024, 2048)
SEARCH_SHARE, LOOKS, TURNS = 1 / 3, 25, 7


class Size(NamedTuple):
    """What to train on a device.

    Attributes
    ----------
    layers, width, lstm, gru:
        Blocks and width of the GPT, and the widths of the other two for equal parameters.
    batch, steps:
        Windows per step, and number of steps.
    judged:
        Number of characters of the validation split to score.
    """

    layers: int
    width: int
    lstm: int
    gru: int
    batch: int
    steps: int
    judged: int


SIZES = {
    "cpu": Size(3, 96, 142, 163, 16, 200, 8192),
    "cuda": Size(6, 256, 543, 627, 32, 1500, 65_536),
    "quick": Size(3, 96, 142, 163, 2, 6, 600),
}


def makers(size: Size, vocab_size: int) -> dict[str, Callable[[], nn.Module]]:
    """A function that makes a model of each kind."""

    def recurrent(cell: str, width: int) -> nn.Module:
        return RecurrentLM(RecurrentLMConfig(vocab_size, width, num_layers=2, cell=cell))

    return {
        "Transformer": lambda: gpt(
            vocab_size=vocab_size, context_length=max(LENGTHS), num_layers=size.layers,
            d_model=size.width, positions="rotary_halves",
        ),
        "LSTM": lambda: recurrent("lstm", size.lstm),
        "GRU": lambda: recurrent("gru", size.gru),
    }  # fmt: skip


def text(judged: int) -> tuple[dict[str, Tensor], int]:
    """Ids of the characters of the two splits, and how many characters there are."""
    splits = {s: "\n".join(data.load("tinyshakespeare", s)) for s in ("train", "validation")}
    known = {c: i for i, c in enumerate(sorted(set(splits["train"])))}
    ids = {s: torch.tensor([known[c] for c in found]) for s, found in splits.items()}
    return ids | {"validation": ids["validation"][:judged]}, len(known)


def train(make: Callable[[], nn.Module], ids: dict, size: Size, steps: int, **run: Any) -> dict:
    """The validation loss at ``LOOKS`` steps of a run."""
    device, rate, seed = run["device"], run["rate"], run["seed"]
    torch.manual_seed(seed)

    def judge(model: nn.Module) -> float:
        found = language_model_nll(model, ids["validation"].to(device), LENGTH)
        return found.nll / found.tokens

    history = fit(
        make(), Batches(Windows(ids["train"], LENGTH, 1), size.batch, seed=seed, drop_last=True),
        loss=NextToken(), steps=steps, lr=cosine(rate, steps, max(1, steps // 10)), seed=seed,
        device=device, validate=judge, validate_every=max(1, steps // LOOKS),
    )  # fmt: skip
    return {"rate": rate, "seed": seed, "loss": [round(x, 4) for x in history.validation["loss"]]}


def speed(kinds: dict, size: Size, vocab_size: int, device: str, quick: bool) -> dict:
    """Milliseconds of a step of each kind, by threads and length."""
    found: dict[str, Any] = {}
    for threads in (1, 2) if device == "cpu" else (1,):
        torch.set_num_threads(threads)
        by_length = found.setdefault(f"{threads} thread(s)", {})
        for n in LENGTHS[:1] if quick else LENGTHS:
            torch.manual_seed(0)
            steps = {k: step_of(make(), NextToken(), device) for k, make in kinds.items()}
            tokens = torch.randint(vocab_size, (size.batch * LENGTH // n, n + 1), device=device)
            batch = tokens[:, :-1], tokens[:, 1:]
            turns = 2 if quick else TURNS
            by_length[n] = milliseconds(steps, {k: [batch] * turns for k in kinds})
            print(threads, n, by_length[n], flush=True)
    torch.set_num_threads(1)
    return found


def measured(quick: bool, once: Callable[..., Any], size: Size, device: str) -> dict[str, Any]:
    """Step times; and each kind's search and its losses by step."""
    torch.set_num_threads(1)
    ids, vocab_size = text(size.judged)
    kinds = makers(size, vocab_size)
    results: dict[str, Any] = {
        **size._asdict(), "length": LENGTH, "tokens of a step": size.batch * LENGTH,
        "unit": "nats per character", "validated every": max(1, size.steps // LOOKS),
        "speed": once("speed", lambda: speed(kinds, size, vocab_size, device, quick)),
    }  # fmt: skip
    searched, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    for kind, make in kinds.items():

        def run(rate: float, seed: int, steps: int, kind: str = kind, make: Any = make) -> dict:
            return once(
                f"{kind}-{rate:g}-{seed}-{steps}",
                lambda: train(make, ids, size, steps, rate=rate, seed=seed, device=device),
            )

        def cost(rate: float, run: Any = run) -> float:
            losses = [
                run(rate, seed, round(SEARCH_SHARE * size.steps))["loss"][-1] for seed in searched
            ]
            return sum(losses) / len(losses)

        rate, search = bracketed(FIRST if quick else RATES, FIRST, cost)
        results.setdefault("kinds", {})[kind] = {
            "parameters": count_parameters(make()), "search": search, "rate": rate,
            "runs": [run(rate, seed, size.steps) for seed in seeds],
        }  # fmt: skip
    return results


if __name__ == "__main__":
    keep_record(
        "parallel-text", __doc__, measured, seed=SEEDS[0], judged_by=("model-parallel",),
        resumed=True, sizes=SIZES,
    )  # fmt: skip
