"""English prose about computing and mathematics, from the docstrings of well-known packages."""

from __future__ import annotations

from tfcourse.data.docstrings.parted import PACKAGES, parted
from tfcourse.data.embedded import embedded
from tfcourse.data.options import several_of

#: The versions that the shipped file is made from.
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


@embedded("prose", made_from=MADE_FROM)
def _make(split: str, *, packages: tuple[str, ...] = PACKAGES) -> list[str]:
    several_of(PACKAGES, packages=packages)
    return [
        sentence
        for document in parted()[split]
        if document.package in packages
        for sentence in document.sentences
    ]
