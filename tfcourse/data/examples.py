"""The types of examples in the corpora: named tuples, so that they unpack and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor


class Pair(NamedTuple):
    """A source text and its target, such as a sentence and its translation."""

    source: str
    target: str


class Labelled(NamedTuple):
    """A text and its class, an index into the corpus's ``labels``.

    If the text has several sentences, each is on a line of its own.
    """

    text: str
    label: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences of the text, one per line."""
        return tuple(self.text.split("\n"))


class Agreement(NamedTuple):
    """A sentence in which one verb agrees with a subject that may come long before it.

    Attributes
    ----------
    words, verb, right, wrong:
        The sentence, the verb's position in it, counted from 0, its correct form, and the other.
    attractors:
        Number of nouns between subject and verb that differ from the subject in number.
    distance:
        How many words after its subject noun the verb comes: 1 if it follows immediately, ``None``
        if the corpus does not mark that noun.
    heads:
        For each word, the position of the word it depends on, -1 for the root; ``None`` if no tree
        is known.
    condition:
        The construction, as the corpus names it.
    """

    words: tuple[str, ...]
    verb: int
    right: str
    wrong: str
    attractors: int
    distance: int | None
    heads: tuple[int, ...] | None
    condition: str


class Similarity(NamedTuple):
    """Two words and how similar people find them: the mean of their ratings, from 0 to 10."""

    a: str
    b: str
    score: float


class Image(NamedTuple):
    """An image, uint8 ``(C, H, W)``, and its class, an index into the corpus's ``labels``."""

    pixels: Tensor
    label: int


class Lookup(NamedTuple):
    """A sequence whose last token asks for something seen earlier in it, and the answer.

    ``places`` are the positions in ``tokens`` that the answer is made from, counted from 0.
    """

    tokens: tuple[str, ...]
    answer: str
    places: tuple[int, ...]


class Sense(NamedTuple):
    """A sentence, the position in it of a word with several senses, and the sense.

    ``place`` is counted from 0; ``label`` is an index into the corpus's ``labels``.
    """

    words: tuple[str, ...]
    place: int
    label: int
