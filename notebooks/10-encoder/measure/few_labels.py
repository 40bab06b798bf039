"""What pre-training on hidden words adds to a classifier, by the number of labels.

The BERT of `masked_words.py`, pre-trained on film reviews for three and a half times as many steps.
Then it classifies sentences of SST-2 with 100, 1,000 or all 6,920 labels: from [CLS] or from the
mean of all states, with the pre-trained weights or from scratch. So does the mean of embeddings,
which ignores order. All take the same steps on the same sentences, and the last weights are judged.
A seed determines the pre-training, the labelled sentences and their order.

Each way's learning rate is searched for each number of labels on three seeds that are used for
nothing else (they share one pre-training), by errors on the validation split, until the best rate
has a worse one on each side. Five paired seeds are judged on the test split. Pre-training helps a
way if the 95 % interval of the mean paired difference lies above 0.

Two hours on one thread; finished parts are kept in ``--keep FOLDER``, which it needs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from masked_words import (
    BATCH,
    DECAY,
    DROPOUT,
    EPOCHS,
    WARMUP,
    WAYS,
    Way,
    batched,
    build,
    folder_of,
    loss,
    pretrain,
    sentences,
    share_right,
)

from coursebook import records
from coursebook.measuring import at_its_best, keeper
from tfcourse.training import adamw, cosine, fit, open_saved

SIDE, PRETRAINING = "both sides", 12_000
SEARCHED, SEEDS = (140, 141, 142), (40, 41, 42, 43, 44)
LABELS = (100, 1000, 6920)
#: The fewest steps of fine-tuning.
LEAST_STEPS = 200
RATES = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
FIRST = {"cls": (3e-4, 1e-3), "mean": (3e-4, 1e-3), "embeddings": (3e-3, 1e-2)}


def classified(
    way: Way, labels: int, rate: float, seed: int, folder: Path, quick: bool
) -> dict[str, float]:
    """Train one classifier on some labelled sentences; the fractions right on both splits."""
    own = SEARCHED[0] if seed in SEARCHED else seed
    pretrained, extra = open_saved(folder_of(SIDE, own, folder))
    tokens = extra["tokenizer"]

    every = {
        split: sentences(tokens, split, pretrained.config.context_length, None)
        for split in ("train", "validation", "test")
    }
    drawn = torch.randperm(len(every["train"]), generator=torch.Generator().manual_seed(seed))
    some = [every["train"][i] for i in drawn[:labels].tolist()]
    labelled = batched(some, tokens, "train", seed)
    steps = 2 if quick else max(LEAST_STEPS, EPOCHS * len(labelled))
    torch.manual_seed(seed)
    model = build(way, pretrained)
    fit(
        model, labelled, loss=loss, steps=steps, seed=seed, device="cpu",
        lr=cosine(rate, steps, int(WARMUP * steps)), optimiser=adamw(weight_decay=DECAY),
    )  # fmt: skip
    return {
        split: share_right(model, batched(every[split], tokens, split, seed))
        for split in ("validation", "test")
    }


def measured(quick: bool, once: Callable, folder: Path) -> dict[str, Any]:
    """The pre-trainings, and each way's search and test accuracies for each number of labels."""
    searched, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    longer = {"training.steps": PRETRAINING, "training.validate_every": PRETRAINING // 5}
    hidden = {
        seed: once(f"bert-{seed}", lambda seed=seed: pretrain(SIDE, seed, folder, quick, **longer))
        for seed in (SEARCHED[0], *seeds)
    }
    found: dict[str, Any] = {}
    for labels in LABELS if not quick else (8,):
        found[str(labels)] = {}
        for name, way in WAYS.items():

            def run_of(rate: float, seed: int, name=name, way=way, labels=labels) -> dict:
                return once(
                    f"{labels}-{name}-{rate:g}-{seed}",
                    lambda: classified(way, labels, rate, seed, folder, quick),
                )

            def end(rate: float, seed: int, run_of=run_of) -> float:
                if seed in SEARCHED:
                    return 1 - run_of(rate, seed)["validation"]
                return run_of(rate, seed)["test"]

            first = FIRST[way.pooled]
            best = at_its_best(end, first if quick else RATES, first, searched, seeds)
            best["each"] = best.pop("ends")
            found[str(labels)][name] = best
    return {
        "settings": {
            "steps of pre-training": PRETRAINING, "seeds": list(seeds), "batch": BATCH,
            "passes through the labels": EPOCHS, "least steps": LEAST_STEPS, "warm-up": WARMUP,
            "weight decay": DECAY, "dropout": DROPOUT,
        },
        "hidden words": [hidden[seed] for seed in seeds],
        "accuracy": found,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    parser.add_argument("--keep", type=Path, help="folder for models and finished parts; kept")
    choice = parser.parse_args()
    torch.set_num_threads(1)
    if choice.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(measured(True, keeper(None), Path(folder)))
        return
    if choice.keep is None:
        parser.error("--keep must name a folder, unless it is --quick")
    results = measured(False, keeper(choice.keep), choice.keep)
    sys.argv[1:] = ["--keep", choice.keep.name]
    print(records.write("few-labels", results, seed=SEEDS[0]).name)


if __name__ == "__main__":
    main()
