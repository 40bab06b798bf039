"""What an example of each kind of corpus is: named tuples, so that they unpack and compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor


class Pair(NamedTuple):
    """A source and what it becomes, both as text: a sentence and its translation, for one."""

    source: str
    target: str


class Labelled(NamedTuple):
    """A text and its class, an index into the corpus' ``labels``.

    If the text has several sentences, each stands on a line of its own.
    """

    text: str
    label: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """The text's sentences, one to a line of it."""
        return tuple(self.text.split("\n"))


class Agreement(NamedTuple):
    """A sentence in which one verb agrees with a subject that may stand far before it.

    Attributes
    ----------
    words, verb, right, wrong:
        The sentence, the verb's place in it, counted from 0, its right form, and the other one.
    attractors:
        How many nouns between subject and verb have the other number.
    distance:
        How many words the verb comes after its subject's noun; 1 if it follows at once, ``None`` if
        the corpus does not say which noun that is.
    heads:
        For each word the place of the word that it depends on, -1 for the root; ``None`` if no
        tree is known.
    condition:
        The construction, in the corpus' own words.
    """

    words: tuple[str, ...]
    verb: int
    right: str
    wrong: str
    attractors: int
    distance: int | None
    heads: tuple[int, ...] | None
    condition: str


class MinimalPair(NamedTuple):
    """Two sentences that differ in little, of which one is grammatical.

    ``condition`` is what the pair tests, in the corpus' own words.
    """

    good: str
    bad: str
    condition: str


class Similarity(NamedTuple):
    """Two words and how alike people find them: the mean of their judgements, from 0 to 10."""

    a: str
    b: str
    score: float


class Image(NamedTuple):
    """A picture, uint8 ``(C, H, W)``, and its class, an index into the corpus' ``labels``."""

    pixels: Tensor
    label: int


class Lookup(NamedTuple):
    """A sequence whose last token asks for something seen earlier in it, and the answer.

    ``places`` is where in ``tokens`` that stands which the answer is made of, counted from 0.
    """

    tokens: tuple[str, ...]
    answer: str
    places: tuple[int, ...]


class Sense(NamedTuple):
    """A sentence, the place of a word of several senses in it, and the sense.

    ``place`` is counted from 0; ``label`` is an index into the corpus' ``labels``.
    """

    words: tuple[str, ...]
    place: int
    label: int
