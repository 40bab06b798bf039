"""A class read from [CLS] and from the mean of all states, with and without pre-training.

The encoder of chapter 10, one block of width 64, learns classes of two kinds of text: sentences of
the corpus *senses*, with 96 labels, and the documents of chapter 03, six subjects, the first words
of each. It starts from scratch, or pre-trained on hidden words of text without labels (the same
sentences, or the docstrings' prose), and then either all weights are trained or only the layers
above the encoder (frozen). Each of these ways has the same data and steps, and searches its own
rate on three seeds used for nothing else, by the errors on the validation split, until the best has
a worse one on each side. A seed determines the pre-trained weights, the new ones and, for the
sentences, the 96 that have labels; all ways share the reported seeds.

About a quarter of an hour on one thread.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import torch
from encoder_documents import LONGEST, SPECIAL, STEPS, VOCABULARY, dressed, pretrained

from coursebook.measuring import bracketed, keep_record, mean_end
from tfcourse import data
from tfcourse.batching import Batches, pad_labelled
from tfcourse.data.docstrings import masked
from tfcourse.models.bert import BERT
from tfcourse.tokenizers import WordTokenizer
from tfcourse.training import adamw, cosine, fit, label_smoothed_loss

SEARCHED, SEEDS = (170, 171, 172), tuple(range(200, 230))
RATES, FIRST = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0), (3e-3, 1e-2)
BATCH, LABELS = 32, 96
POOLED = {"[CLS]": "cls", "mean": "mean"}
STARTS = ("from scratch", "pre-trained", "frozen")


class Task(NamedTuple):
    """A text: how to pre-train on it, its labelled rows, and for how long they are read.

    ``base`` and ``labelled`` return the pre-trained model and the rows to learn from of a seed.
    """

    base: Callable[[int], BERT]
    labelled: Callable[[int], list]
    steps: int
    validation: list
    test: list
    classes: int
    seeds: tuple[int, ...]


def sentences(quick: bool) -> Task:
    """The sense of *note* in sentences of the grammar."""
    prose = [" ".join(s.words) for s in data.load("senses")]
    tokens = WordTokenizer.train(prose, special=SPECIAL)
    train, validation, test = (
        [(dressed(tokens, " ".join(s.words)), s.label) for s in data.load("senses", split)]
        for split in ("train", "validation", "test")
    )

    def labelled(seed: int) -> list:
        first = LABELS * (SEARCHED + SEEDS).index(seed)
        return train[first : first + LABELS]

    base = functools.cache(partial(pretrained, tokens, prose, steps=2 if quick else 250))
    return Task(base, labelled, 2 if quick else 40, validation, test, 3, SEEDS)


def documents(quick: bool) -> Task:
    """The subject of docstrings."""
    prose = [masked(sentence) for sentence in data.load("prose", "train")]
    tokens = WordTokenizer.train(prose, VOCABULARY, special=SPECIAL, punctuation=True, lower=True)
    train, validation, test = (
        [(dressed(tokens, text), label) for text, label in data.load("documents", split)]
        for split in ("train", "validation", "test")
    )
    base = functools.cache(partial(pretrained, tokens, prose, steps=2 if quick else STEPS))
    steps = 2 if quick else 3 * math.ceil(len(train) / BATCH)  # three epochs
    return Task(base, lambda seed: train, steps, validation, test, 6, SEEDS[:15])


TASKS = {"sentences": sentences, "documents": documents}


def loss(model: BERT, batch: tuple) -> tuple:
    ids, lengths, labels = batch
    return label_smoothed_loss(model(ids, lengths=lengths).logits, labels)


def finetuned(task: Task, pooled: str, start: str, rate: float, seed: int) -> BERT:
    """A classifier, started from the weights of a pre-trained model or from scratch."""
    base = task.base(seed)
    torch.manual_seed(seed)
    model = BERT(replace(
        base.config, predicts=("classes",), classes=task.classes, pooled=pooled, dropout=0.1
    ))  # fmt: skip
    if start != "from scratch":
        model.load_state_dict(base.state_dict(), strict=False)  # except the heads
    if start == "frozen":
        for name, p in model.named_parameters():
            p.requires_grad = name.startswith(("pooler", "classes"))
    rows = task.labelled(seed)
    batches = Batches(rows, BATCH, collate=pad_labelled, seed=seed, lengths=lambda one: len(one[0]))
    fit(
        model, batches, loss=loss, steps=task.steps,
        lr=cosine(rate, task.steps, max(1, task.steps // 10)),
        optimiser=adamw(weight_decay=0.01), seed=seed, device="cpu",
    )  # fmt: skip
    return model


@torch.no_grad()
def share_right(model: BERT, rows: list) -> float:
    """The fraction of rows whose class is predicted."""
    model.eval()
    right = sum(
        int((model(ids, lengths=lengths).logits.argmax(-1) == labels).sum())
        for ids, lengths, labels in Batches(rows, 64, collate=pad_labelled, shuffle=False)
    )
    return right / len(rows)


def measured(quick: bool, once: Callable[[str, Callable[[], Any]], Any]) -> dict[str, Any]:
    """For each text and each way: its search, and its accuracy with every seed."""
    torch.set_num_threads(1)
    few = 1 if quick else None
    results: dict[str, Any] = {"settings": {"longest": LONGEST, "batch": BATCH}}
    for name, make in TASKS.items():
        task = make(quick)

        def right(way: tuple[str, str], rate: float, seed: int, split: str, task=task, name=name):
            """The accuracy of a way on a split, measured once."""

            def work() -> float:
                model = finetuned(task, POOLED[way[0]], way[1], rate, seed)
                return round(share_right(model, getattr(task, split)), 4)

            return once(f"{name}, {way[0]}, {way[1]}, {rate:g}, {seed}, {split}", work)

        ways = {}
        for way in itertools.product(POOLED, STARTS):

            def wrong(rate: float, seed: int, way=way, right=right) -> float:
                return 1 - right(way, rate, seed, "validation")

            rate, search = bracketed(
                FIRST if quick else RATES, FIRST, mean_end(wrong, SEARCHED[:few])
            )
            each = [right(way, rate, seed, "test") for seed in task.seeds[:few]]
            ways[", ".join(way)] = {"search": search, "rate": rate, "each": each}
            print(name, way, search, rate, sum(each) / len(each), flush=True)
        results[name] = {
            "labels": len(task.labelled(SEEDS[0])), "validation": len(task.validation),
            "test": len(task.test), "classes": task.classes, "steps": task.steps,
            "seeds": task.seeds, "accuracy": ways,
        }  # fmt: skip
    return results


if __name__ == "__main__":
    keep_record(
        "class-vector", __doc__, measured, seed=SEEDS[0], judged_by=("model-cls",), resumed=True
    )
