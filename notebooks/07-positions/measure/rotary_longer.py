"""Rotary positions beyond the training length: unchanged, and three ways to stretch them.

Small GPTs read WikiText-2, 640 characters at a time, and are tested with up to 10,240 at a time:
unchanged, with positions divided by the ratio of test to training length (position interpolation),
with NTK scaling, and with YaRN. Within 640 characters nine of the sixteen pairs make a full turn.
Nothing is trained further at the new length. One learning rate serves all, since they are one
model: it is searched on two seeds used for nothing else, by the loss at the training length.

An hour on one thread; finished parts are kept in ``--keep FOLDER``. ``--device cuda`` trains larger
models on windows of 1,024 pieces of words, from a vocabulary of 8,192, into a record of its own.
The last tenth of the text is the test.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from coursebook.measuring import bracketed, keep_record, mean_end
from tfcourse import data
from tfcourse.positions import Positions, RotaryPositions
from tfcourse.runs.lengths import running_sentences, train_short_test_long
from tfcourse.tokenizers import BPETokenizer, CharTokenizer

SEARCHED, SEEDS = (132, 133), (135, 136, 137, 138, 139)
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-3, 1e-2)
TIMES = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Size:
    """What to train on a device; see :func:`tfcourse.runs.lengths.train_short_test_long`.

    Two heads of width 32 have 16 pairs to rotate, four of width 64 have 32.
    """

    train_length: int
    steps: int
    num_heads: int = 2
    num_layers: int = 2
    d_model: int = 64
    batch: int = 32
    watch_every: int = 10
    #: The first ``"character"``s of WikiText-2, or all of it in ``"piece"``s of words; for a quick
    #: check each ``"word"`` of the agreement grammar.
    token: str = "word"


SIZES = {
    "cpu": Size(640, 3000, batch=8, watch_every=500, token="character"),
    "cuda": Size(1024, 1500, 4, 4, 256, 16, 500, "piece"),
    "quick": Size(32, 2),
}
CHARACTERS, PIECES = 2_000_000, 8192


def ids(token: str) -> Tensor:
    """The text as a row of ids."""
    if token == "word":
        return running_sentences()
    text = data.load("wikitext-2", "train").text
    if token == "character":
        text = text[:CHARACTERS]
        return torch.tensor(CharTokenizer.train([text]).encode(text))
    return torch.tensor(BPETokenizer.train([text], PIECES, special=()).encode(text))


def stretched(original: int) -> dict[str, Callable[[Positions, int], Positions]]:
    """Ways to test, at a length, a scheme that was trained at the length ``original``."""

    def way(choices: Callable[[float], dict[str, Any]]) -> Callable[[Positions, int], Positions]:
        def tested_as(trained: Positions, length: int) -> Positions:
            assert isinstance(trained, RotaryPositions)
            times = length / original
            return trained if times == 1 else RotaryPositions(trained.d_k, **choices(times))

        return tested_as

    return {
        "interpolated": way(lambda s: {"scaling": "linear", "factor": s}),
        "NTK": way(lambda s: {"ntk": s}),
        "YaRN": way(lambda s: {"scaling": "yarn", "factor": s, "original": original}),
    }


def measured(quick: bool, once: Callable[..., Any], size: Size, device: str) -> dict[str, Any]:
    """The loss of each seed by way and by length."""
    torch.set_num_threads(1)  # a second one does not help networks this small
    seeds, times = (SEEDS[:1], TIMES[:2]) if quick else (SEEDS, TIMES)
    settings = dataclasses.asdict(size)
    text = ids(settings.pop("token"))

    def tested(rate: float, seed: int, times: tuple = times) -> dict[str, list[float]]:
        """The losses of one model: by way, at each length."""
        found = train_short_test_long(
            lambda sizes: RotaryPositions(sizes.d_k), also=stretched(size.train_length), lr=rate,
            seeds=(seed,), test_lengths=[size.train_length * t for t in times], text=text,
            device=device, **settings,
        )  # fmt: skip
        ways = {"as trained": found.losses, **found.also}
        return {way: [loss for (loss,) in by_length.values()] for way, by_length in ways.items()}

    def end(rate: float, seed: int) -> float:
        part = once(f"search-{rate:g}-{seed}", lambda: tested(rate, seed, TIMES[:1]))
        return part["as trained"][0]

    rate, search = bracketed(
        FIRST if quick else RATES, FIRST, mean_end(end, SEARCHED[: len(seeds)])
    )
    models = [once(f"{rate:g}-{seed}", lambda seed=seed: tested(rate, seed)) for seed in seeds]
    return {
        "settings": dataclasses.asdict(size) | {"seeds": seeds, "times": times},
        "unit": f"nats per {size.token}",
        "chosen": {"search": search, "rate": rate},
        "losses": {
            way: {str(t): [round(m[way][i], 4) for m in models] for i, t in enumerate(times)}
            for way in models[0]
        },
    }


if __name__ == "__main__":
    keep_record(
        "rotary-longer", __doc__, measured, seed=SEEDS[0], judged_by=("pos-rope-long",),
        resumed=True, sizes=SIZES,
    )  # fmt: skip
