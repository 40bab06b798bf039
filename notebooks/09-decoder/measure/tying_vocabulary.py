"""The cost of tying the unembedding to the embedding with a vocabulary of thousands of tokens.

WikiText-2 in 8,192 pieces of words, the first 500,000 of them three times. The three models of
`tying.py`: tied; untied, which has a second matrix of `V x D`; and tied but wider, with about as
many parameters as the untied one. For each model two things are searched, on a seed used for
nothing else and half of the steps: the learning rate, and then the standard deviation that its
embedding (if tied, its unembedding too) is drawn with, each until the best has a worse one on both
sides. Then it is trained on five paired seeds. The loss is that on the test split, in nats per
byte. A difference is found if the 95 % interval of the mean paired difference does not contain 0.

An hour and a half on one thread; finished parts are kept in ``--keep FOLDER``. ``--device cuda``
reads all of WikiText-2 ten times with larger models, in 8,192 and in 32,768 pieces, into a record
of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn
from tying import Splits, trained

from coursebook.measuring import bracketed, keep_record
from tfcourse.flops import count_parameters
from tfcourse.models.gpt import GPT, GPTConfig

SEARCHED, SEEDS = 310, (311, 312, 313, 314, 315)
RATES, FIRST_RATES = (7.5e-4, 1.5e-3, 3e-3, 6e-3, 1.2e-2, 2.4e-2), (3e-3, 6e-3)
#: GPT-2's standard deviation is 0.02 at width 768; these are multiples of ``0.02 (768 / D)^0.5``.
DRAWN, FIRST_DRAWN = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0), (0.5, 1.0, 2.0)


@dataclass(frozen=True)
class Size:
    """What to train on a device: the models, and how much they read."""

    vocabularies: tuple[int, ...]
    d_model: int
    layers: int
    window: int
    batch: int
    #: Tokens of the training split that are read, and how often; ``None`` for all.
    tokens: int | None
    passes: int
    #: Characters of the validation and test splits to score.
    judged: int


SIZES = {
    "cpu": Size((8192,), 64, 2, 64, 16, 500_000, 3, 200_000),
    "cuda": Size((8192, 32768), 256, 6, 256, 64, None, 10, 1_000_000),
    "quick": Size((300,), 16, 1, 16, 2, 1000, 1, 500),
}
HEADS = 4


def gpt(size: Size, vocabulary: int, drawn: float = 1.0, **choices: Any) -> GPT:
    """A GPT of this size, and with these choices instead; see :data:`DRAWN`."""
    shared = {
        "vocab_size": vocabulary, "context_length": size.window, "num_layers": size.layers,
        "num_heads": HEADS, "d_model": size.d_model,
    }  # fmt: skip
    model = GPT(GPTConfig(**shared | choices))
    std = 0.02 * (768 / model.config.d_model) ** 0.5
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=std)
    nn.init.normal_(model.embedding.weight, std=drawn * std)
    return model


def models(size: Size, vocabulary: int) -> dict[str, dict[str, Any]]:
    """What each model chooses; the wider one is the widest with no more parameters than untied."""

    def parameters(**choices: Any) -> int:
        with torch.device("meta"):
            return count_parameters(gpt(size, vocabulary, **choices))

    most, d_model = parameters(tied=False), size.d_model
    while parameters(d_model=d_model + HEADS) <= most:
        d_model += HEADS
    d_ff = 4 * d_model
    while parameters(d_model=d_model, d_ff=d_ff + 1) <= most:
        d_ff += 1
    return {
        "tied": {},
        "untied": {"tied": False},
        "tied, wider": {"d_model": d_model, "d_ff": d_ff},
    }


def compared(
    size: Size, vocabulary: int, device: str, once: Callable[[str, Callable[[], dict]], dict]
) -> dict[str, Any]:
    """With one vocabulary: both searches of each model, and its losses with each seed."""
    text = Splits("wikitext-2", vocabulary, size.judged, size.window)
    ids = text.ids["train"][: size.tokens]
    steps = size.passes * len(ids) // (size.batch * size.window)

    def losses(choices: dict, rate: float, drawn: float, seed: int, steps: int) -> dict:
        model = trained(
            partial(gpt, size, vocabulary, drawn, **choices), ids, rate, seed, steps,
            window=size.window, batch=size.batch, device=device,
        )  # fmt: skip
        return text.losses(model)

    found: dict[str, Any] = {
        "steps": steps, "tokens in a step": size.batch * size.window, "vocabulary": vocabulary,
        "tokens read": len(ids), "passes": size.passes, "unit": "nats / byte",
        "settings": dataclasses.asdict(size), "models": {},
    }  # fmt: skip
    best: dict[str, tuple[float, float]] = {}
    for name, choices in models(size, vocabulary).items():

        def cost(rate: float, drawn: float, name=name, choices=choices) -> float:
            part = f"{vocabulary}-{name}-search-{rate:g}-{drawn:g}"
            work = partial(losses, choices, rate, drawn, SEARCHED, max(1, steps // 2))
            return once(part, work)["validation"]

        rate, rates = bracketed(RATES, FIRST_RATES, lambda rate, cost=cost: cost(rate, 1.0))
        drawn, stds = bracketed(
            DRAWN, FIRST_DRAWN, lambda drawn, cost=cost, rate=rate: cost(rate, drawn)
        )
        best[name] = rate, drawn
        found["models"][name] = {
            "parameters": count_parameters(gpt(size, vocabulary, **choices)),
            "choices": choices, "rate": rate, "search of the rate": rates,
            "init": drawn, "inits tried": stds,
            "validation": [], "test": [],
        }  # fmt: skip
    for seed in SEEDS:  # seed by seed, so that a run that is stopped has whole pairs
        for name, choices in models(size, vocabulary).items():
            work = partial(losses, choices, *best[name], seed, steps)
            for split, loss in once(f"{vocabulary}-{name}-{seed}", work).items():
                found["models"][name][split].append(loss)
    return found


def measured(
    quick: bool, once: Callable[[str, Callable[[], dict]], dict], size: Size, device: str
) -> dict[str, Any]:
    """Each vocabulary's searches and losses."""
    torch.set_num_threads(1)
    return {
        "seeds": list(SEEDS), "seed of the searches": SEARCHED,
        "vocabularies": [compared(size, v, device, once) for v in size.vocabularies],
    }  # fmt: skip


if __name__ == "__main__":
    keep_record("tying-vocabulary", __doc__, measured, seed=SEEDS[0], resumed=True, sizes=SIZES)
