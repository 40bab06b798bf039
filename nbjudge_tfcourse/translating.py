"""What tests of a translator do with its results: their form, their points, what stands out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


def words_right(found: Sequence[str], targets: Sequence[str]) -> float:
    """The share of words that are right and at their place, from 0 to 1; the mean over texts."""
    shares = []
    for text, target in zip(found, targets, strict=True):
        words, wanted = text.split(), target.split()
        right = sum(a == b for a, b in zip(words, wanted, strict=False))
        shares.append(right / max(len(words), len(wanted), 1))
    return sum(shares) / len(shares)


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


#: The noise's size beside each tensor's root mean square: little, and as much as the weights.
LITTLE, AS_MUCH = 0.05, 1.0

#: What a translator may keep with that much noise, and must lose; what part of the way is.
KEPT, LOST, PART = 0.5, 0.5, (0.1, 0.9)


def noisy(weights: Mapping[str, Tensor], degree: float, seed: int) -> dict[str, Tensor]:
    """The weights with normal noise of ``degree`` times each tensor's root mean square.

    Integers, such as indices, stay as they are if there is a tensor of other numbers.
    """
    generator = torch.Generator().manual_seed(seed)
    floats = {name for name, x in weights.items() if x.is_floating_point()}
    changed = {}
    for name, x in weights.items():
        noise = torch.randn(x.shape, generator=generator)
        size = x.float().pow(2).mean().sqrt() if x.numel() else 0.0
        moved = (x.float() + degree * size * noise).to(x.dtype)
        changed[name] = moved if name in floats or not floats else x
    return changed


def must_have_learned(
    measure: Callable[[dict[str, Tensor]], float], weights: Mapping[str, Tensor], seed: int
) -> None:
    """Require that a translator gets worse by degrees if noise is added to its weights.

    A trained model keeps most of its quality with a little noise, loses most of it with noise as
    large as the weights, and part of it in between. Rules written as code keep all of it, whatever
    the weights; code that recognises its own weights loses all of it at once.

    Parameters
    ----------
    measure:
        A translator's quality with given weights, 0 or more.
    weights:
        Name → tensor, as trained. With these the quality must not be 0.
    seed:
        What the noise is drawn from.

    Raises
    ------
    Mistake
        If the quality does not fall by degrees.
    """
    best = measure(dict(weights))

    def share(degree: float) -> float:
        return measure(noisy(weights, degree, seed)) / best

    if (low := share(LITTLE)) < KEPT:
        raise Mistake(
            f"With noise of {LITTLE:.0%} on its weights, your translator keeps {low:.0%} of its "
            "quality. A trained model hardly notices. Does your code compare the weights with "
            "something?"
        )
    if (high := share(AS_MUCH)) > LOST:
        raise Mistake(
            f"With noise as large as its weights, your translator keeps {high:.0%} of its quality. "
            "What translates, if not the weights in your checkpoint?"
        )
    # Halving the interval finds where part is lost, unless all is lost at one step.
    little, much, part = LITTLE, AS_MUCH, low
    for _ in range(6):
        if PART[0] < part < PART[1]:
            return
        degree = math.sqrt(little * much)
        part = share(degree)
        little, much = (degree, much) if part > PART[1] else (little, degree)
    if not PART[0] < part < PART[1]:
        raise Mistake(
            f"Noise on its weights changes nothing up to {little:.0%}, and destroys your "
            f"translator from {much:.0%} on. A trained model gets worse by degrees. Does your code "
            "compare the weights with something?"
        )


def mean(scores: Sequence[Tensor]) -> float:
    """The mean of all numbers; no number is infinite."""
    every = torch.cat(list(scores))
    return float(every.mean()) if len(every) else -math.inf
