"""Captions, German to English: encoder and decoder against a decoder alone, matched in two ways.

The models and the corpus of `decoder_alone.py`, with dropout, for ten times the steps. The decoder
alone has as many parameters as the other (four blocks), or as many operations for what it is asked
to say (two blocks, and so two thirds of the parameters). Each arm searches its learning rate and
then its warm-up, on two seeds that are used for nothing else, by the mean validation loss of runs a
third as long, until the best has a worse one on each side. Five paired seeds are quoted, each at
its best validation loss: the test loss, and BLEU of greedy translations with a bootstrap interval.

With all captions nearly every run is best at its last validation. ``--series quarter`` trains on
one caption in four with about twice as many passes, with equal parameters only, into a record of
its own and with seeds of its own.

In a first series of runs, seeds 10 to 14, the decoders alone also dropped attention weights, and
encoder and decoder did not. Now all do, which `tests/benchmarks/test_equal_terms.py` holds; all
arms ran again on fresh seeds.

Every finished run lies in ``--keep FOLDER``, and is not done again. On one thread of a CPU the
series take about seven hours and two.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from decoder_alone import (
    BATCH_TOKENS,
    batches_of,
    decoder,
    encoder_decoder,
    loss_on,
    splits,
    written,
)
from translators import one_sided, two_sided

from coursebook import records
from coursebook.measuring import bracketed, keeper
from tfcourse import training
from tfcourse.evaluation import bleu, bootstrap
from tfcourse.flops import count_parameters, forward_flops

RATES, FIRST_RATES = (3e-4, 1e-3, 3e-3, 6e-3, 1e-2, 2e-2), (3e-3, 6e-3)
#: Shares of all steps.
WARMUPS, FIRST_WARMUPS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8), (0.2, 0.4)
DROPOUT, LOOKS, RESAMPLES = 0.1, 30, 300
ARMS = {
    "encoder and decoder": (encoder_decoder, two_sided),
    "decoder, equal parameters": (decoder, one_sided),
    "decoder, equal operations": (partial(decoder, layers=2), one_sided),
}


class Series(NamedTuple):
    """What one record compares: on one caption in ``every``, with seeds for search and runs."""

    record: str
    steps: int
    searched_steps: int
    every: int
    arms: tuple[str, ...]
    searched: tuple[int, ...]
    seeds: tuple[int, ...]


SERIES = {
    "all": Series(
        "encoder-or-decoder", 6000, 2000, 1, tuple(ARMS), (110, 111), (15, 16, 17, 18, 19)
    ),
    "quarter": Series(
        "encoder-or-decoder-quarter", 3000, 1000, 4, tuple(ARMS)[:2], (112, 113),
        (20, 21, 22, 23, 24),
    ),
}  # fmt: skip


def train(arm: str, rate: float, warmup: float, seed: int, steps: int, corpus: Any, judged: bool):
    """One run: the validation losses, and if it is judged what the best model does on the test."""
    tokens, pairs, ids = corpus
    make, says = ARMS[arm]
    torch.manual_seed(seed)
    model = make(len(tokens), dropout=DROPOUT)
    batches = batches_of(ids["train"], seed)
    seen: list[float] = []
    best: dict[str, Any] = {}

    def look(model: Any) -> float:
        seen.append(loss_on(says, model, ids["validation"]))
        if seen[-1] <= min(seen):
            best.update(copy.deepcopy(model.state_dict()))
        return seen[-1]

    training.fit(
        model, batches, steps=steps, seed=seed, device="cpu",
        loss=lambda model, batch: training.label_smoothed_loss(*says(model, batch), ignore=0),
        lr=training.cosine(rate, steps, warmup=max(1, round(warmup * steps))),
        validate=look, validate_every=max(1, steps // LOOKS),
    )  # fmt: skip
    found = {"rate": rate, "warmup": warmup, "seed": seed, "validation": seen}
    if judged:
        model.load_state_dict(best)
        found["test loss"] = loss_on(says, model.eval(), ids["test"])
        texts = written(model, tokens, [pair.source for pair in pairs["test"]])
        score = bootstrap(
            lambda texts, targets: bleu(texts, targets).value,
            texts, [pair.target for pair in pairs["test"]],
            resamples=RESAMPLES if steps > 10 else 2,
        )  # fmt: skip
        found["BLEU"] = [round(x, 2) for x in (score.value, score.low, score.high)]
    return found


def measured(series: Series, quick: bool, once: Callable[..., Any]) -> dict[str, Any]:
    """Each arm's two searches, and its runs at the best."""
    tokens, pairs, ids = splits(quick)
    corpus = tokens, pairs, ids | {"train": ids["train"][:: series.every]}

    def run(arm: str, rate: float, warmup: float, seed: int, steps: int, judged: bool) -> dict:
        return once(
            f"{arm.replace(' ', '-')}-{rate}-{warmup}-{seed}-{steps}",
            lambda: train(arm, rate, warmup, seed, steps, corpus, judged),
        )

    def cost(arm: str, rate: float, warmup: float) -> float:
        return sum(
            min(run(arm, rate, warmup, seed, series.searched_steps, judged=False)["validation"])
            for seed in series.searched
        ) / len(series.searched)

    arms = {}
    for arm in series.arms:
        make, _ = ARMS[arm]
        few = slice(1 if quick else None)
        rate, by_rate = bracketed(
            FIRST_RATES[:1] if quick else RATES, FIRST_RATES[few],
            lambda rate, arm=arm: cost(arm, rate, 0.1),
        )  # fmt: skip
        warmup, by_warmup = bracketed(
            FIRST_WARMUPS[:1] if quick else WARMUPS, FIRST_WARMUPS[few],
            lambda warmup, arm=arm, rate=rate: cost(arm, rate, warmup),
        )  # fmt: skip
        model = make(len(tokens))
        sizes = (20, 20) if arm == "encoder and decoder" else (40,)
        arms[arm] = {
            "parameters": count_parameters(model),
            "operations of 20 pieces to 20": forward_flops(model, 1, *sizes),
            "search": by_rate, "rate": rate,
            "warm-up": {"search": by_warmup, "rate": warmup},
            "runs": [
                run(arm, rate, warmup, seed, series.steps, judged=True) for seed in series.seeds
            ],
        }  # fmt: skip
    return {
        "captions": len(corpus[2]["train"]), "steps": series.steps,
        "passes": round(series.steps / len(batches_of(corpus[2]["train"], 0)), 1),
        "steps of a search": series.searched_steps, "tokens of a batch": BATCH_TOKENS,
        "dropout": DROPOUT, "BLEU by": bleu(["one"], ["one"]).signature, "arms": arms,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    parser.add_argument("--series", choices=tuple(SERIES), default="all")
    parser.add_argument("--keep", type=Path, help="where finished runs are stored")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    once, series = keeper(choice.keep), SERIES[choice.series]
    if choice.quick:
        few = series._replace(
            steps=6, searched_steps=2, searched=series.searched[:1], seeds=series.seeds[:1]
        )
        print(measured(few, True, once))
        return
    stated = records.conditions("model-encdec")
    results = measured(series, False, once)
    # How it was cut into runs is no part of the record.
    sys.argv[1:] = [] if choice.series == "all" else ["--series", choice.series]
    print(records.write(series.record, results, seed=series.seeds[0], stated=stated).name)


if __name__ == "__main__":
    main()
