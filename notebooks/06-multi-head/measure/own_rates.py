"""Two comparisons that an evidence notebook makes at one learning rate, each model at its own.

The page of chapter 6 trains nets with one head, two and eight on two look-ups, that of chapter 10
models that guess hidden words from both sides or from the left. This script takes the models and
the training from the cells of those notebooks. For each model it searches the rate on two seeds
that are used for nothing else, until the best has a worse one on each side; three other seeds run
at the best rate. A model is judged by its accuracy on the page's test set. A few minutes on one
thread.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import matplotlib
import nbformat
import torch

from coursebook import course
from coursebook.measuring import at_its_best, keep_record

SEARCHED, SEEDS = (110, 111), (113, 114, 115)
RATES, FIRST = (6.25e-4, 1.25e-3, 2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2, 8e-2), (2.5e-3, 5e-3, 1e-2)
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
HEADS = {
    "1 head": {"heads": 1},
    "2 heads": {"heads": 2},
    "8 heads": {"heads": 8},
    "1 head, then feed-forward": {"heads": 1, "feed_forward": True},
}
SIDES = {"both sides": False, "left only": True}


def cells(notebook: str, *whole: str, defined: tuple[str, ...]) -> dict[str, Any]:
    """What some cells of an evidence notebook define.

    Parameters
    ----------
    notebook:
        Its name, such as ``"06-multi-head"``.
    whole:
        Cells to run.
    defined:
        Cells of which only imports, functions and classes are taken, not what they train.
    """
    path = course.Lesson(course.root(), notebook).evidence
    sources = {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}
    names: dict[str, Any] = {}
    for name in (*whole, *defined):
        tree = ast.parse(sources[name])
        if name in defined:
            tree.body = [part for part in tree.body if isinstance(part, DEFINITIONS)]
        exec(compile(tree, f"{notebook}, {name}", "exec"), names)
    return names


def heads(quick: bool) -> dict[str, Callable[[float, int], float]]:
    """The share of rows of the two look-ups with both digits right, by rate and seed."""
    page = cells("06-multi-head", "imports", "several-data", defined=("several-train",))
    steps = 50 if quick else 600

    def end(choices: dict[str, Any]) -> Callable[[float, int], float]:
        return lambda rate, seed: page["train_two"](seed, steps, rate, **choices)[1][-1]

    return {name: end(choices) for name, choices in HEADS.items()}


def sides(quick: bool) -> dict[str, Callable[[float, int], float]]:
    """The share of hidden words guessed right, by rate and seed."""
    page = cells("10-encoder", "imports", "words", defined=("models", "guesses"))
    page["asked"] = [
        (*page["together"](s), place)
        for s in page["ids_of"](page["data"].load("senses", "test")[: 3 if quick else 300])
        for place in range(1, len(s) + 1)
    ]
    if quick:
        page["sentences"] = page["sentences"][:64]

    def end(causal: bool) -> Callable[[float, int], float]:
        return lambda rate, seed: float(
            page["guesses"](page["pretrain"](seed, causal, lr=rate)).mean()
        )

    return {name: end(causal) for name, causal in SIDES.items()}


def measured(quick: bool) -> dict[str, Any]:
    """For each comparison and model: the search by errors, the best rate, and the accuracies."""
    matplotlib.use("Agg")
    torch.set_num_threads(1)
    searched, seeds = (SEARCHED[:1], SEEDS[:1]) if quick else (SEARCHED, SEEDS)
    first = FIRST[:1] if quick else FIRST
    found: dict[str, Any] = {"seeds": list(seeds)}
    for what, ends in (("two look-ups", heads(quick)), ("hidden words", sides(quick))):
        found[what] = {}
        for name, right in ends.items():
            best = at_its_best(
                lambda rate, seed, right=right: 1 - right(rate, seed),
                first if quick else RATES, first, searched, seeds,
            )  # fmt: skip
            best["right"] = [round(1 - wrong, 4) for wrong in best.pop("ends")]
            found[what][name] = best
            print(what, name, best, flush=True)
    return found


if __name__ == "__main__":
    keep_record(
        "own-rates", __doc__, measured, seed=SEEDS[0], judged_by=("heads-several", "model-mlm")
    )
