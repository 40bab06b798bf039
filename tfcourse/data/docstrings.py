"""Corpora from the docstrings of well-known packages: English prose, and documents by subject.

The sentences ship with the package, in a file written by ``benchmarks/corpora``.
"""

from __future__ import annotations

import lzma
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tfcourse.arguments import several_of, whole
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Labelled

#: The file: for each split ``= split``, for each docstring ``# package file``, and its sentences,
#: one per line.
PATH = Path(__file__).parent / "shipped" / "prose.txt.xz"

SPLITS = ("train", "validation", "test")

#: The packages whose docstrings the sentences come from.
PACKAGES = (
    "dask", "matplotlib", "networkx", "numpy", "scipy", "sklearn", "sqlalchemy", "sympy", "torch",
)  # fmt: skip

#: The versions that the shipped file was made from.
MADE_FROM = {
    "dask": "2026.8.0",
    "matplotlib": "3.11.2",
    "networkx": "3.6.1",
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "scikit-learn": "1.9.1",
    "sqlalchemy": "2.1.9",
    "sympy": "1.14.0",
    "torch": "2.13.0",
}

#: The classes of documents: the package that a document comes from, and what that package is about.
LABELS = {
    "matplotlib": "drawing",
    "networkx": "graphs",
    "scipy": "numerics",
    "sklearn": "learning",
    "sqlalchemy": "databases",
    "sympy": "algebra",
}

#: Words that name the package rather than describe its subject; each becomes *library*.
NAMES = (
    "matplotlib pyplot mpl axes networkx nx digraph multigraph scipy numpy np ndarray ndarrays "
    "scikit-learn scikit sklearn estimator estimators sqlalchemy orm dialect dialects sympy "
    "sympify expr pytorch torch dask python"
)
_NAMED = re.compile(rf"\b(?:{'|'.join(NAMES.split())})\b", re.IGNORECASE)

#: Maximum number of sentences in a document; a longer docstring gives several documents.
MOST = 8


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


@embedded("prose", made_from=MADE_FROM)
def _prose(split: str, *, packages: tuple[str, ...] = PACKAGES) -> list[str]:
    several_of(PACKAGES, packages=packages)
    return [
        sentence
        for document in parted()[split]
        if document.package in packages
        for sentence in document.sentences
    ]


def masked(sentence: str) -> str:
    """A sentence with each of :data:`NAMES` replaced by *library*."""
    return _NAMED.sub("library", sentence)


@embedded("documents", labels=tuple(LABELS.values()), made_from=MADE_FROM)
def _documents(split: str, *, least: int = 3) -> list[Labelled]:
    whole(1, MOST, least=least)
    by_class: dict[str, list[str]] = {package: [] for package in LABELS}
    for document in parted()[split]:
        if document.package not in by_class:
            continue
        for start in range(0, len(document.sentences), MOST):
            sentences = document.sentences[start : start + MOST]
            if len(sentences) >= least:
                by_class[document.package].append("\n".join(map(masked, sentences)))
    draw = Draw(f"documents {split}")
    each = min(map(len, by_class.values()))
    return draw.shuffled(
        [
            Labelled(text, label)
            for label, texts in enumerate(by_class.values())
            for text in draw.some(texts, each)
        ]
    )
