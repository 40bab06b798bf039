"""Judging word vectors: WordSim-353 and SimLex-999."""

from __future__ import annotations

from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.examples import Similarity
from tfcourse.data.real.archives import zip_members
from tfcourse.data.real.cards import hashes, lines, size_bytes
from tfcourse.data.real.files import find, need, read
from tfcourse.data.real.registry import FILES


def wordsim353(split: str) -> list[Similarity]:
    """Pairs of words and the mean of their judgements."""
    file = FILES["wordsim-353"]["pairs"]
    need("wordsim-353", [file])
    rows = (line.split("\t") for line in lines(read(file)) if not line.startswith("#"))
    return [Similarity(a, b, float(score)) for a, b, score in rows]


def simlex999(split: str) -> list[Similarity]:
    """Pairs of words and the mean of their judgements."""
    file = FILES["simlex-999"]["archive"]
    need("simlex-999", [file])
    name = "SimLex-999/SimLex-999.txt"
    rows = lines(zip_members(find(file), name.__eq__)[name])[1:]  # without the columns' names
    cells = (row.split("\t") for row in rows)
    return [Similarity(a, b, float(score)) for a, b, _, score, *_ in cells]


register(
    Loader(
        Card(
            name="wordsim-353",
            title="WordSim-353",
            what="Two English words and how related people find them, from 0 to 10",
            kind="real",
            task="word similarity",
            splits={"test": 353},
            size_bytes=size_bytes("wordsim-353"),
            licence="None stated; its authors ask for citation",
            licence_url="http://www.gabrilovich.com/resources/data/wordsim353/",
            citation=(
                "Finkelstein, Gabrilovich, Matias, Rivlin, Solan, Wolfman and Ruppin (2002), "
                "Placing Search in Context"
            ),
            homepage="http://www.gabrilovich.com/resources/data/wordsim353/",
            sha256=hashes("wordsim-353"),
        ),
        wordsim353,
    )
)

register(
    Loader(
        Card(
            name="simlex-999",
            title="SimLex-999",
            what="Two English words and how alike, not merely related, people find them: 0 to 10",
            kind="real",
            task="word similarity",
            splits={"test": 999},
            size_bytes=size_bytes("simlex-999"),
            licence="None stated; its authors ask for citation",
            licence_url="https://fh295.github.io/simlex.html",
            citation="Hill, Reichart and Korhonen (2015), SimLex-999",
            homepage="https://fh295.github.io/simlex.html",
            sha256=hashes("simlex-999"),
        ),
        simlex999,
    )
)
