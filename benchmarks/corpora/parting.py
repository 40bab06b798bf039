"""Each sentence once, in the split of its file, with no test text in training."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.corpora import cleaning, reading
from tfcourse.data.docstrings import PACKAGES, SPLITS, Document
from tfcourse.data.draw import share_of

#: How many files in ten each split gets.
SHARES = dict(zip(SPLITS, (8, 1, 1), strict=True))

#: A sentence is not used for testing if this many consecutive words of it are in another split.
WINDOW = 8


def words_of(sentence: str) -> list[str]:
    """A sentence's words in lower case, without digits and punctuation: for comparing sentences."""
    return re.findall("[a-z]+", sentence.lower())


def windows(words: list[str], size: int = WINDOW) -> Iterable[tuple[str, ...]]:
    """All runs of ``size`` consecutive words."""
    return (tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def documents() -> list[Document]:
    """The prose of all packages' docstrings, in alphabetical order of the files.

    Raises
    ------
    ModuleNotFoundError
        If one of the packages is not installed.
    """
    return [
        Document(text.package, text.file, tuple(sentences))
        for package in PACKAGES
        for text in reading.docstrings(package)
        if (sentences := cleaning.sentences(text.text))
    ]


def parted() -> dict[str, list[Document]]:
    """The documents of each split, without the sentences that an earlier split has.

    A file belongs to one split, by its name alone. A sentence is left out if it occurred before,
    and from validation and test also if it shares :data:`WINDOW` consecutive words with an earlier
    split.
    """
    everything = documents()
    found: dict[str, list[Document]] = {}
    seen: set[tuple[str, ...]] = set()  # whole sentences, and from training on their windows
    for split in SHARES:
        own = []
        fresh: set[tuple[str, ...]] = set()
        for document in everything:
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


def packed(parts: Mapping[str, Sequence[Document]]) -> bytes:
    """The documents of each split as the bytes of the shipped file."""
    return lzma.compress("\n".join(_lines(parts)).encode("ascii"), preset=9 | lzma.PRESET_EXTREME)


def _lines(parts: Mapping[str, Sequence[Document]]) -> Iterator[str]:
    for split, documents in parts.items():
        yield f"= {split}"
        for document in documents:
            yield f"# {document.package} {document.file}"
            yield from document.sentences
