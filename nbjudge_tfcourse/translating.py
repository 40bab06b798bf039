"""What tests of a translator do with its results: their form, their points, what stands out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from nbjudge.testing import Mistake


def as_scores(found: Any, targets: Sequence[str]) -> list[Tensor]:
    """What ``word_scores`` gave, a vector for each pair.

    Raises
    ------
    Mistake
        If it is not a list with a number for each word of each target and one for its end.
    """
    if not isinstance(found, list | tuple) or len(found) != len(targets):
        given = f"{len(found)} entries" if isinstance(found, list | tuple) else type(found).__name__
        raise Mistake(
            f"`word_scores` returns {given}. It must return a list with an entry for each of the "
            f"{len(targets)} pairs."
        )
    scores = []
    for one, target in zip(found, targets, strict=True):
        plain = isinstance(one, list | tuple) and all(type(x) in (int, float) for x in one)
        if not plain and not (isinstance(one, Tensor) and one.dim() == 1):
            raise Mistake(
                "An entry of what `word_scores` returns must be a list of numbers, or a tensor "
                "with one axis."
            )
        numbers = torch.as_tensor(one).double()
        words = len(target.split()) + 1
        if len(numbers) != words:
            raise Mistake(
                f"`word_scores` gives {len(numbers)} numbers for {target!r}. It must give one for "
                f"each word and one for the end: {words}."
            )
        if not bool(numbers.isfinite().all()):
            raise Mistake(f"`word_scores` gives an infinite number, or NaN, for {target!r}.")
        scores.append(numbers)
    return scores


def as_texts(found: Any, sources: Sequence[str]) -> list[str]:
    """What ``translate`` gave, a text for each source.

    Raises
    ------
    Mistake
        If it is anything else.
    """
    if not isinstance(found, list | tuple) or not all(type(text) is str for text in found):
        raise Mistake("`translate` must return a list of texts, such as ['two hundred and six'].")
    if len(found) != len(sources):
        raise Mistake(f"`translate` returns {len(found)} texts for {len(sources)} sources.")
    return [" ".join(text.split()) for text in found]


def near(one: Tensor, other: Tensor, tolerance: float = 1e-3) -> bool:
    """Whether scores agree, up to rounding."""
    return torch.allclose(one, other, rtol=tolerance, atol=tolerance)


def thresholds_reached(score: float, thresholds: Sequence[float]) -> int:
    """How many thresholds a score reaches."""
    return sum(score >= threshold for threshold in thresholds)


def advice(
    sources: Sequence[str], found: Sequence[str], targets: Sequence[str], quote: bool = False
) -> str:
    """What translations look like that are wrong; empty if nothing stands out.

    With ``quote`` the first of them is shown, which no hidden test should do.
    """
    wrong = [i for i, text in enumerate(found) if text != targets[i]]
    if not wrong:
        return ""
    half = len(found) / 2
    english = {word for target in targets for word in target.split()}

    def many(seen: Any) -> bool:
        return sum(bool(seen(i)) for i in wrong) > half

    if many(lambda i: not found[i]):
        return "Most translations are empty: is the end chosen first?"
    if many(lambda i: found[i] == sources[i]):
        return "The translations are the German sources."
    if many(lambda i: not set(found[i].split()) & english):
        return "The translations hold no English number words: is it the other direction?"
    if many(lambda i: found[i].split()[::-1] == targets[i].split()):
        return "The words of the translations are in reverse order."
    if many(lambda i: found[i].startswith(f"{targets[i]} ")):
        return "The translations go on after their end: which id ends a text?"
    if many(lambda i: targets[i].startswith(f"{found[i]} ")):
        return "The translations stop too early: how many words may they have?"
    if len(set(found)) <= max(2, len(found) // 20):
        return "Almost all translations are the same: does the model see its source?"
    if sorted(found) == sorted(targets):
        return "The translations are right, but they belong to other sources."
    if not quote:
        return ""
    first = wrong[0]
    return f"For example, {sources[first]!r} becomes {found[first]!r}, not {targets[first]!r}."


def mean(scores: Sequence[Tensor]) -> float:
    """The mean of all numbers; no number is infinite."""
    every = torch.cat(list(scores))
    return float(every.mean()) if len(every) else -math.inf
