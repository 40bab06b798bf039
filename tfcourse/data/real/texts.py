"""Text corpora: running text, translation, agreement, opinions, and word similarity."""

from __future__ import annotations

import re
from collections.abc import Callable

from tfcourse.arguments import one_of, whole
from tfcourse.data.examples import Agreement, Labelled, Pair, Similarity
from tfcourse.data.real.files import find, lines, need, read, tar_members, zip_members
from tfcourse.data.real.registry import FILES, real

LANGUAGES = ("de", "en", "fr")
FORMS = ("raw", "tokenised")
FOLDS = 10


@real("tinyshakespeare")
def tinyshakespeare(split: str) -> list[str]:
    """The lines of the first nine tenths of the characters, or of the last."""
    [file] = need("tinyshakespeare", "input")
    text = read(file).decode("ascii")
    border = int(0.9 * len(text))
    return (text[:border] if split == "train" else text[border:]).split("\n")


@real("wikitext-2")
def wikitext2(split: str) -> list[str]:
    """The lines of a split; each line, even an empty one, begins and ends with a space."""
    [file] = need("wikitext-2", split)
    return read(file).decode("utf-8").removesuffix("\n").split("\n")


@real("multi30k")
def multi30k(
    split: str, *, source: str = "de", target: str = "en", form: str = "raw"
) -> list[Pair]:
    """A split's sentences in two languages."""
    one_of(FORMS, form=form)
    one_of(LANGUAGES, source=source, target=target)
    keys = [f"{form} {split} {language}" for language in (source, target)]
    for key in keys:
        if key not in FILES["multi30k"]:
            prefix = form + " "
            there = [k.removeprefix(prefix) for k in FILES["multi30k"] if k.startswith(prefix)]
            raise ValueError(
                f"form={form!r} must be used with one of {there}, got {key.removeprefix(prefix)!r}"
            )
    if source == target:
        raise ValueError(f"target must differ from source, got {target!r} for both")
    both = [lines(read(file)) for file in need("multi30k", *keys)]
    return [Pair(*pair) for pair in zip(*both, strict=True)]


@real("linzen")
def linzen(split: str) -> list[Agreement]:
    """Sentences from Wikipedia, without those that the file annotates incorrectly."""
    texts, gold = (lines(read(file)) for file in need("linzen", "text", "gold"))
    found = []
    for text, says in zip(texts, gold, strict=True):
        place, right, wrong, attractors = says.split("\t")
        words = tuple(text.removesuffix(" <eos>").split(" "))
        verb = int(place)
        if verb < len(words) and words[verb] == right != wrong:
            found.append(
                Agreement(words, verb, right, wrong, int(attractors), None, None, "Wikipedia")
            )
    return found


@real("sentence-polarity")
def sentence_polarity(split: str, *, fold: int = 0) -> list[Labelled]:
    """Snippets, alternately negative and positive; a fold takes every tenth of each class."""
    whole(0, FOLDS - 1, fold=fold)
    [file] = need("sentence-polarity", "archive")
    found = zip_members(find(file), lambda name: "/rt-polarity." in name)
    classes = [
        [line.strip() for line in lines(found[f"sentence_polarity/rt-polarity.{end}"])]
        for end in ("neg", "pos")
    ]
    return _split(classes, split, fold, lambda place: place % FOLDS)


@real("movie-reviews")
def movie_reviews(split: str, *, fold: int = 0) -> list[Labelled]:
    """Reviews, alternately negative and positive; the folds are the authors' own."""
    whole(0, FOLDS - 1, fold=fold)
    [file] = need("movie-reviews", "archive")
    found = zip_members(find(file), lambda name: name.endswith(".txt"))
    # A review's name begins with its number: cv000 to cv999, a hundred to a fold.
    classes = [
        [_sentences(found[name]) for name in sorted(found) if f"/{end}/" in name]
        for end in ("neg", "pos")
    ]
    return _split(classes, split, fold, lambda place: place // 100)


@real("imdb")
def imdb(split: str, *, part: str = "whole") -> list[Labelled]:
    """Reviews, alternately negative and positive, in the order of their numbers."""
    one_of(("whole", "tenth"), part=part)
    [file] = need("imdb", part)
    wanted = re.compile(rf"aclImdb/{split}/(neg|pos)/(\d+)_\d+\.txt")
    found = tar_members(find(file), lambda name: bool(wanted.fullmatch(name)))
    classes: dict[str, list[tuple[int, str]]] = {"neg": [], "pos": []}
    for name, content in found.items():
        for label, number in wanted.findall(name):
            classes[label].append((int(number), content.decode("utf-8")))
    return _in_turn([[text for _, text in sorted(classes[label])] for label in ("neg", "pos")])


@real("sst-2")
def sst2(split: str, *, phrases: bool = False) -> list[Labelled]:
    """Sentences; for training, optionally the phrases they are made of."""
    one_of((False, True), phrases=phrases)
    phrases = phrases and split == "train"
    [file] = need("sst-2", "phrases" if phrases else split)
    rows = lines(read(file))
    if phrases:
        rows = rows[1:]  # the columns' names
    pairs = (row.split("\t" if phrases else " ", 1) for row in rows)
    return [Labelled(text.strip(), int(label)) for label, text in pairs]


def _sentences(content: bytes) -> str:
    return "\n".join(line.strip() for line in lines(content) if line.strip())


def _split(
    classes: list[list[str]], split: str, fold: int, fold_of: Callable[[int], int]
) -> list[Labelled]:
    """All examples, those of one fold, or those of the other nine."""
    kept = {"all": (True, True), "train": (False, True), "test": (True, False)}[split]
    return _in_turn(
        [
            [text for place, text in enumerate(texts) if kept[fold_of(place) != fold]]
            for texts in classes
        ]
    )


def _in_turn(classes: list[list[str]]) -> list[Labelled]:
    """One of each class in turn, so that any part of the list is balanced too."""
    return [
        Labelled(text, label)
        for texts in zip(*classes, strict=True)
        for label, text in enumerate(texts)
    ]


@real("wordsim-353")
def wordsim353(split: str) -> list[Similarity]:
    """Pairs of words and their mean similarity rating."""
    [file] = need("wordsim-353", "pairs")
    rows = (line.split("\t") for line in lines(read(file)) if not line.startswith("#"))
    return [Similarity(a, b, float(score)) for a, b, score in rows]


@real("simlex-999")
def simlex999(split: str) -> list[Similarity]:
    """Pairs of words and their mean similarity rating."""
    [file] = need("simlex-999", "archive")
    name = "SimLex-999/SimLex-999.txt"
    rows = lines(zip_members(find(file), name.__eq__)[name])[1:]  # without the columns' names
    cells = (row.split("\t") for row in rows)
    return [Similarity(a, b, float(score)) for a, b, _, score, *_ in cells]
