"""The sentences of docstrings, in three splits: a file of this package.

``benchmarks/corpora`` writes it.
"""

from __future__ import annotations

import lzma
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
    """The prose of one docstring: at least one sentence.

    ``package`` is its import name, ``file`` the path from its folder with forward slashes.
    """

    package: str
    file: str
    sentences: tuple[str, ...]


@lru_cache(maxsize=1)
def parted() -> dict[str, list[Document]]:
    """The documents of each split; no sentence is in two of them."""
    return unpacked(PATH.read_bytes())


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
