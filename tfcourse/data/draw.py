"""Random draws that are the same on every machine, for generated corpora.

Only for ``random.random()`` does Python promise the same numbers from a seed in every version, so
everything here is built on it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A random generator seeded by an integer, or by a string that names what is drawn."""

    def __init__(self, seed: int | str) -> None:
        if isinstance(seed, str):
            seed = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def below(self, end: int) -> int:
        """A random integer from 0 to ``end - 1``, all equally likely."""
        return int(self._random() * end)

    def between(self, first: int, last: int) -> int:
        """A random integer from ``first`` to ``last``, both included."""
        return first + self.below(last - first + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """``count`` of the items without replacement, in random order."""
        items = list(items)
        for i in range(count):
            j = self.between(i, len(items) - 1)
            items[i], items[j] = items[j], items[i]
        return items[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items, in random order."""
        return self.some(items, len(items))


def share_of(key: str, shares: Mapping[str, int]) -> str:
    """The split that an example belongs to, determined by its text alone.

    Whatever else is drawn, with whatever options, the same text, ``key``, never occurs in two
    splits. ``shares`` maps each split to its number of parts of the whole.
    """
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") % sum(shares.values())
    for name, parts in shares.items():
        place -= parts
        if place < 0:
            return name
    raise AssertionError("the parts add up to the whole")
