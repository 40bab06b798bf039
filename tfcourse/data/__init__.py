"""Corpora behind one interface: :func:`load`, :func:`names`, :func:`info`.

*Embedded* corpora come with the package or are computed by it, offline, and are the same
everywhere; *real* ones are files already on the machine or downloaded.
"""

from tfcourse.data.corpus import Card, Corpus, Images, Loader, info, load, names, register
from tfcourse.data.examples import (
    Agreement,
    Image,
    Labelled,
    Lookup,
    Pair,
    Sense,
    Similarity,
)

# Each of these registers its corpora.
from tfcourse.data import (  # noqa: F401  # isort: skip
    arrows, dates, digits, docstrings, grammars, number_pairs, real,
)  # fmt: skip

__all__ = [
    "Agreement", "Card", "Corpus", "Image", "Images", "Labelled", "Loader",
    "Lookup", "Pair", "Sense", "Similarity", "info", "load", "names", "register",
]  # fmt: skip
