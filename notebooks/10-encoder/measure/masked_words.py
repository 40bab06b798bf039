"""Masked words: the value of the right context, and of pre-training for a classifier.

Two BERTs of one size are pre-trained on film reviews, for the same number of steps on the same
text: one reads both sides of a hidden word, the other only its left side. Both are evaluated on the
same hidden words of reviews that neither has seen, with three seeds.

Then the sentences of SST-2 are classified: from [CLS] and from the mean of all states, each with
the weights of the first BERT of its seed and from scratch, and from the mean of embeddings, which
ignores order. Every classifier has the same tokenizer, sees the 6,920 sentences (not their phrases)
equally often, and keeps the epoch that is best on the validation split. Each one's rate is chosen
there too, with another seed; nothing is chosen on the test split.

It runs piece by piece. The results of each piece are kept in the scratch folder, and the record is
written when all pieces are done:

    python notebooks/10-encoder/measure/masked_words.py --scratch FOLDER --stage pretrain
    python notebooks/10-encoder/measure/masked_words.py --scratch FOLDER --stage finetune
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from coursebook import records
from coursebook.measuring import short
from tfcourse import data, presets
from tfcourse.batching import Batches, pad_labelled
from tfcourse.evaluation import accuracy
from tfcourse.flops import count_parameters
from tfcourse.models.bert import BERT
from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.runs import run
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import (
    adamw,
    cosine,
    fit,
    label_smoothed_loss,
    load_best,
    open_saved,
)

THREADS = 1
SEEDS = (0, 1, 2)
#: The rates to try, and the seed.
RATES = {
    "cls": (3e-4, 1e-3, 3e-3),
    "mean": (3e-4, 1e-3, 3e-3),
    "embeddings": (1e-3, 3e-3, 1e-2, 3e-2, 1e-1),
}
RATES_SEED = 100
SIDES = {"both sides": "reviews-bert-cpu", "left side only": "reviews-bert-cpu-left"}
EPOCHS, BATCH, WARMUP, DECAY, DROPOUT = 3, 32, 0.1, 0.01, 0.1


class Way(NamedTuple):
    """A way to classify sentences: the pooling, and the initial weights."""

    pooled: str
    pretrained: bool


WAYS = {
    "[CLS], pre-trained": Way("cls", True),
    "[CLS], from scratch": Way("cls", False),
    "mean of states, pre-trained": Way("mean", True),
    "mean of states, from scratch": Way("mean", False),
    "mean of embeddings, pre-trained": Way("embeddings", True),
    "mean of embeddings, from scratch": Way("embeddings", False),
}
#: Published accuracies on SST-2's test sentences, in per cent, and how their setting differs.
PUBLISHED = [
    {
        "model": "CNN-rand", "accuracy": 82.7, "source": "Kim 2014, table 2; from the paper",
        "setting": "vectors from scratch; trained on the phrases too",
    },
    {
        "model": "BERT tiny", "accuracy": 83.2,
        "source": "README of google-research/bert; Turc et al. 2019",
        "setting": (
            "2 layers of width 128 as here, but 30,522 word pieces, pre-trained on Wikipedia and "
            "books, fine-tuned on 67,349 phrases, the best of 20 settings; GLUE's test server"
        ),
    },
    {
        "model": "BERT base", "accuracy": 93.5,
        "source": "Devlin et al. 2019, table 1; from the paper",
        "setting": (
            "110 million parameters, pre-trained on 3.3 billion words, fine-tuned on 67,349 "
            "phrases; GLUE's test server"
        ),
    },
]  # fmt: skip


def folder_of(side: str, seed: int, scratch: Path) -> Path:
    """Where a pre-trained BERT is kept."""
    return scratch / f"{SIDES[side]}-{seed}"


def pretrain(side: str, seed: int, scratch: Path, quick: bool, **changes: Any) -> dict[str, Any]:
    """Pre-train a preset, changed, or resume it, and return its results on hidden words."""
    few = {
        "model.d_model": 16, "model.num_layers": 1, "tokenizer.vocab_size": 300,
        "data.train": "test", "data.validation": "test", "data.held_out": 20,
    }  # fmt: skip
    changes = short(**few) if quick else changes
    preset = presets.load(SIDES[side], changes | {"training.seed": seed})
    results = run(preset, folder_of(side, seed, scratch), device="cpu", resume=True)
    return {"preset": SIDES[side], **results}


def sentences(
    tokens: Tokenizer, split: str, longest: int, few: int | None
) -> list[tuple[list[int], int]]:
    """The sentences of a split with [CLS] and [SEP], and their classes; the first few, or all."""
    first, last = tokens.id("[CLS]"), tokens.id("[SEP]")
    return [
        ([first, *tokens.encode(text)[: longest - 2], last], label)
        for text, label in data.load("sst-2", split)[:few]
    ]


def batched(some: list[tuple[list[int], int]], tokens: Tokenizer, split: str, seed: int) -> Batches:
    """Batches of a split's sentences; only those to train on are shuffled."""
    return Batches(
        some, BATCH, collate=lambda rows: pad_labelled(rows, tokens.pad), seed=seed,
        shuffle=split == "train", lengths=lambda example: len(example[0]),
    )  # fmt: skip


def build(way: Way, pretrained: BERT) -> nn.Module:
    """The classifier, with or without the weights of the pre-trained model."""
    config = pretrained.config
    if way.pooled == "embeddings":
        model = PoolingClassifier(
            PoolingConfig(config.vocab_size, 2, config.d_model, queries=0, dropout=DROPOUT)
        )
        if way.pretrained:
            model.embedding.load_state_dict(pretrained.embedding.state_dict())
        return model
    model = BERT(
        dataclasses.replace(config, predicts=("classes",), pooled=way.pooled, dropout=DROPOUT)
    )
    if way.pretrained:
        model.load_state_dict(pretrained.state_dict(), strict=False)  # except the heads
    return model


def scores(model: nn.Module, batch: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """The logits of a batch's sentences, ``(B, 2)``."""
    tokens, lengths, _ = batch
    return model(tokens, lengths=lengths).logits


def loss(model: nn.Module, batch: tuple[Tensor, Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return label_smoothed_loss(scores(model, batch), batch[-1])


@torch.no_grad()
def share_right(model: nn.Module, batches: Batches) -> float:
    """The fraction of sentences whose class is predicted."""
    model.eval()
    said = [(scores(model, batch).argmax(-1), batch[-1]) for batch in batches]
    return accuracy(*(torch.cat(part) for part in zip(*said, strict=True))).value


def finetune(way: Way, lr: float, seed: int, scratch: Path, quick: bool) -> dict[str, Any]:
    """Train one classifier and evaluate it; the epoch is chosen on the validation split.

    It starts from the BERT of its own seed; those that only choose a rate, from the first.
    """
    own = SEEDS[0] if seed == RATES_SEED else seed
    pretrained, extra = open_saved(folder_of("both sides", own, scratch))
    tokens, few = extra["tokenizer"], 64 if quick else None
    parts = {
        split: batched(
            sentences(tokens, split, pretrained.config.context_length, few), tokens, split, seed
        )
        for split in ("train", "validation", "test")
    }  # fmt: skip
    torch.manual_seed(seed)
    model, start = build(way, pretrained), time.process_time()
    steps = (1 if quick else EPOCHS) * len(parts["train"])
    with tempfile.TemporaryDirectory() as folder:
        history = fit(
            model, parts["train"], loss=loss, steps=steps, seed=seed, device="cpu",
            lr=cosine(lr, steps, int(WARMUP * steps)), optimiser=adamw(weight_decay=DECAY),
            validate=lambda model: {"accuracy": share_right(model, parts["validation"])},
            validate_every=len(parts["train"]), higher_is_better=True, checkpoint=folder,
            checkpoint_every=steps,
        )  # fmt: skip
        load_best(folder, model)
    return {
        "validation": share_right(model, parts["validation"]),
        "test": share_right(model, parts["test"]),
        "validation by epoch": history.validation["accuracy"],
        "parameters": count_parameters(model),
        "cpu seconds": round(time.process_time() - start, 1),
    }


def best_rate(name: str, found: dict[str, Any]) -> float:
    """The rate that was best on the validation split; of equal ones, the lower."""
    tried = RATES[WAYS[name].pooled]
    return max(tried, key=lambda lr: found[f"rate {name} {lr:g}"]["validation"])


def spread(values: list[float]) -> dict[str, Any]:
    """Mean and standard deviation over the seeds, and each value."""
    return {
        "mean": statistics.mean(values),
        "standard deviation": statistics.stdev(values) if len(values) > 1 else None,
        "each": values,
    }


def together(found: dict[str, Any], seeds: tuple[int, ...]) -> dict[str, Any]:
    """The record: the results of each piece, and what follows from them."""
    words = {side: [found[f"pretrain {side} {seed}"] for seed in seeds] for side in SIDES}
    both, left = ([one["evaluation"] for one in words[side]] for side in SIDES)
    classes = {}
    for name, way in WAYS.items():
        runs = [found[f"finetune {name} {seed}"] for seed in seeds]
        classes[name] = {
            "test accuracy": spread([one["test"] for one in runs]),
            "validation accuracy": spread([one["validation"] for one in runs]),
            "validation accuracy by rate": {
                f"{lr:g}": found[f"rate {name} {lr:g}"]["validation"] for lr in RATES[way.pooled]
            },
            "rate": best_rate(name, found),
            "parameters": runs[0]["parameters"],
            "cpu seconds": [one["cpu seconds"] for one in runs],
        }
    helps = {}
    for pooled in ("[CLS]", "mean of states", "mean of embeddings"):
        yes, no = (
            classes[f"{pooled}, {start}"]["test accuracy"]
            for start in ("pre-trained", "from scratch")
        )
        helps[pooled] = {
            "gain of the mean": yes["mean"] - no["mean"],
            "every seed better than every one from scratch": min(yes["each"]) > max(no["each"]),
        }
    return {
        "hidden words": words,
        "both sides minus left side only": {
            measure: [x[measure] - y[measure] for x, y in zip(both, left, strict=True)]
            for measure in ("accuracy", "loss")
        },
        "sentences of SST-2": {
            "settings": {
                "epochs": EPOCHS, "batch": BATCH, "warm-up": WARMUP, "weight decay": DECAY,
                "dropout": DROPOUT, "seeds": list(seeds),
            },
            **classes,
        },
        "what pre-training adds": helps,
        "published, accuracy in per cent": PUBLISHED,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scratch", type=Path, help="folder for models and pieces; kept")
    parser.add_argument("--stage", choices=("pretrain", "finetune", "all"), default="all")
    parser.add_argument("--side", choices=tuple(SIDES), help="pre-train only with this one")
    parser.add_argument("--way", choices=tuple(WAYS), help="fine-tune only in this way")
    parser.add_argument("--seconds", type=float, help="start no piece after this time")
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    chosen = parser.parse_args()
    torch.set_num_threads(THREADS)
    if chosen.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(pieces(chosen, Path(folder), SEEDS[:1]))
        return
    if chosen.scratch is None:
        parser.error("--scratch must name a folder, unless it is --quick")
    found = pieces(chosen, chosen.scratch, SEEDS)
    if found is None:
        print("There is more to do: the same command again goes on.")
    else:
        print(records.write("masked-words", found, seed=SEEDS[0]).name)


def pieces(chosen: argparse.Namespace, scratch: Path, seeds: tuple[int, ...]) -> dict | None:
    """Do the requested pieces that are not done yet; return the record if all are done."""
    kept, began = scratch / "pieces", time.perf_counter()
    kept.mkdir(parents=True, exist_ok=True)

    def piece(name: str, work: Callable[[], dict[str, Any]]) -> None:
        late = chosen.seconds and time.perf_counter() - began > chosen.seconds
        if late or (kept / f"{name}.json").is_file():
            return
        found = work()
        (kept / f"{name}.json").write_text(json.dumps(found, indent=1))
        if not chosen.quick:
            print(name, found["validation"], flush=True)

    def all_found() -> dict[str, Any]:
        return {path.stem: json.loads(path.read_text()) for path in kept.glob("*.json")}

    for side, seed in itertools.product(SIDES, seeds):
        if chosen.stage != "finetune" and chosen.side in (None, side):
            piece(f"pretrain {side} {seed}", partial(pretrain, side, seed, scratch, chosen.quick))
    for name, way in WAYS.items():
        if chosen.stage == "pretrain" or chosen.way not in (None, name):
            continue

        def tuned(way: Way, lr: float | None, seed: int, name: str = name) -> dict[str, Any]:
            lr = best_rate(name, all_found()) if lr is None else lr
            return finetune(way, lr, seed, scratch, chosen.quick)

        for lr in RATES[way.pooled]:
            piece(f"rate {name} {lr:g}", partial(tuned, way, lr, RATES_SEED))
        for seed in seeds:
            piece(f"finetune {name} {seed}", partial(tuned, way, None, seed))
    found = all_found()
    rates = sum(len(RATES[way.pooled]) for way in WAYS.values())
    whole = len(found) == rates + (len(SIDES) + len(WAYS)) * len(seeds)
    return together(found, seeds) if whole else None


if __name__ == "__main__":
    main()
