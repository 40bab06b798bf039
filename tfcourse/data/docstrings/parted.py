"""The same sentences, each once, in the split of its file: nothing of the test is in training."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tfcourse.data.docstrings.kept import Document, documents
from tfcourse.data.draw import share_of

#: The splits, and in how many of ten files each stands.
SHARES = {"train": 8, "validation": 1, "test": 1}

#: A sentence is not tested on where so many words in a row stand in another split.
WINDOW = 8


def words_of(sentence: str) -> list[str]:
    """A sentence's words in small letters, without figures and signs: for comparing sentences."""
    return re.findall("[a-z]+", sentence.lower())


def windows(words: list[str], size: int = WINDOW) -> Iterable[tuple[str, ...]]:
    """All runs of ``size`` words."""
    return (tuple(words[i : i + size]) for i in range(len(words) - size + 1))


@lru_cache(maxsize=1)
def parted() -> dict[str, list[Document]]:
    """For each split its documents, with the sentences that no split before has.

    A file belongs to one split, by its name alone. A sentence that occurs again, or in validation
    and test shares :data:`WINDOW` words in a row with a split before, is left out.
    """
    found: dict[str, list[Document]] = {}
    seen: set[tuple[str, ...]] = set()  # whole sentences, and from training on their windows
    for split in SHARES:
        own = []
        fresh: set[tuple[str, ...]] = set()
        for document in documents():
            if share_of(f"{document.package}/{document.file}", SHARES) != split:
                continue
            kept = []
            for sentence in document.sentences:
                words = words_of(sentence)
                whole = (" ".join(words),)
                if whole in seen or whole in fresh:
                    continue
                runs = set(windows(words))
                if split != "train" and not seen.isdisjoint(runs):
                    continue
                kept.append(sentence)
                fresh.add(whole)
                fresh |= runs
            if kept:
                own.append(document._replace(sentences=tuple(kept)))
        seen |= fresh
        found[split] = own
    return found
