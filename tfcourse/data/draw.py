"""Chance that is the same on every machine: for the corpora that are drawn.

Python promises of ``random.random()`` alone that a seed gives the same numbers in every version;
everything here is made of it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A source of chance that starts from a whole number, or from words that name what is drawn."""

    def __init__(self, seed: int | str) -> None:
        if isinstance(seed, str):
            seed = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def below(self, end: int) -> int:
        """A whole number from 0 to ``end - 1``, each as likely."""
        return int(self._random() * end)

    def between(self, first: int, last: int) -> int:
        """A whole number from ``first`` to ``last``, both possible."""
        return first + self.below(last - first + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """``count`` different ones of the items, in random order."""
        items = list(items)
        for i in range(count):
            j = self.between(i, len(items) - 1)
            items[i], items[j] = items[j], items[i]
        return items[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items, in random order."""
        return self.some(items, len(items))


def share_of(key: str, shares: Mapping[str, int]) -> str:
    """The split that an example belongs to, from its text alone.

    Whatever else is drawn, with whatever options, the same text, ``key``, never stands in two
    splits. ``shares`` has the splits, and how many parts of the whole each has.
    """
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % sum(shares.values())
    for name, parts in shares.items():
        place -= parts
        if place < 0:
            return name
    raise AssertionError("the parts add up to the whole")
