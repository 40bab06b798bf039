"""Documents of a few sentences, to be classified by their subject."""

from __future__ import annotations

import re

from tfcourse.data.docstrings.parted import parted
from tfcourse.data.docstrings.prose import MADE_FROM
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Labelled
from tfcourse.data.options import whole

#: The classes: the package that a document comes from, and what that package is about.
LABELS = {
    "matplotlib": "drawing",
    "networkx": "graphs",
    "scipy": "numerics",
    "sklearn": "learning",
    "sqlalchemy": "databases",
    "sympy": "algebra",
}

#: Words that name the package rather than say something of its subject; each becomes *library*.
NAMES = (
    "matplotlib pyplot mpl axes networkx nx digraph multigraph scipy numpy np ndarray ndarrays "
    "scikit-learn scikit sklearn estimator estimators sqlalchemy orm dialect dialects sympy "
    "sympify expr pytorch torch dask python"
)
_NAMED = re.compile(rf"\b(?:{'|'.join(NAMES.split())})\b", re.IGNORECASE)

#: A longer docstring gives several documents.
MOST = 8


def masked(sentence: str) -> str:
    """A sentence in which *library* stands for each of :data:`NAMES`."""
    return _NAMED.sub("library", sentence)


@embedded("documents", labels=tuple(LABELS.values()), made_from=MADE_FROM)
def _make(split: str, *, least: int = 3) -> list[Labelled]:
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
