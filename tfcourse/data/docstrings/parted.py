"""The sentences of docstrings, in three splits: a file of this package.

``benchmarks/corpora`` writes it.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

#: The file: for each split ``= split``, for each docstring ``# package file``, and its sentences,
#: one per line.
PATH = Path(__file__).parents[1] / "shipped" / "prose.txt.xz"

SPLITS = ("train", "validation", "test")

#: The packages whose docstrings the sentences come from.
PACKAGES = (
    "dask", "matplotlib", "networkx", "numpy", "scipy", "sklearn", "sqlalchemy", "sympy", "torch",
)  # fmt: skip


class Document(NamedTuple):
    """The prose of one docstring.

    Attributes
    ----------
    package:
        The package's import name.
    file:
        The file with the docstring: its path from the package's folder, with forward slashes.
    sentences:
        At least one sentence.
    """

    package: str
    file: str
    sentences: tuple[str, ...]


@lru_cache(maxsize=1)
def parted() -> dict[str, list[Document]]:
    """The documents of each split; no sentence is in two of them."""
    return unpacked(PATH.read_bytes())


def packed(parts: Mapping[str, Sequence[Document]]) -> bytes:
    """The documents as the file's bytes."""
    return lzma.compress("\n".join(_lines(parts)).encode("ascii"), preset=9 | lzma.PRESET_EXTREME)


def unpacked(content: bytes) -> dict[str, list[Document]]:
    """The documents of each split, from the file's bytes."""
    found: dict[str, list[Document]] = {}
    for part in lzma.decompress(content).decode("ascii").removeprefix("= ").split("\n= "):
        split, *texts = part.split("\n# ")
        found[split] = []
        for text in texts:
            head, *sentences = text.split("\n")
            package, file = head.split(" ", maxsplit=1)
            found[split].append(Document(package, file, tuple(sentences)))
    return found


def _lines(parts: Mapping[str, Sequence[Document]]) -> Iterator[str]:
    for split, documents in parts.items():
        yield f"= {split}"
        for document in documents:
            yield f"# {document.package} {document.file}"
            yield from document.sentences
