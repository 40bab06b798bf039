"""Judging word vectors: WordSim-353, SimLex-999 and Google's analogies."""

from __future__ import annotations

from tfcourse.arguments import one_of
from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.examples import Analogy, Similarity
from tfcourse.data.real.archives import zip_members
from tfcourse.data.real.cards import hashes, lines, size_bytes
from tfcourse.data.real.files import find, need, read
from tfcourse.data.real.manifest import FILES


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


def analogies(split: str, *, section: str = "all") -> list[Analogy]:
    """Questions, in the file's order."""
    file = FILES["analogies"]["questions"]
    need("analogies", [file])
    found, current = [], ""
    for line in lines(read(file)):
        if line.startswith(":"):
            current = line[1:].strip()
        else:
            found.append(Analogy(*line.split(), current))
    one_of(("all", *dict.fromkeys(one.section for one in found)), section=section)
    return [one for one in found if section in ("all", one.section)]


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

register(
    Loader(
        Card(
            name="analogies",
            title="Google's analogies",
            what="Four words: the first is to the second as the third is to the fourth",
            kind="real",
            task="analogy",
            splits={"test": None},
            size_bytes=size_bytes("analogies"),
            licence="Apache 2.0",
            licence_url="https://www.apache.org/licenses/LICENSE-2.0",
            citation="Mikolov, Chen, Corrado and Dean (2013), Efficient Estimation",
            homepage="https://github.com/tmikolov/word2vec",
            sha256=hashes("analogies"),
            options={"section": "'all', or one of the 14, such as 'capital-world'"},
        ),
        analogies,
    )
)
