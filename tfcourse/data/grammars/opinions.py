"""Short film reviews: a sentence or two that judge the film, among others that tell its plot.

Words of praise and blame stand in the plot too, about the people in it, and a judgement may be
negated. So a bag of words does fairly well, and the order of the words decides the rest.
"""

from __future__ import annotations

from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Labelled
from tfcourse.data.grammars.gathering import filled, gather
from tfcourse.data.options import whole


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Words of blame and of praise, in the order of the labels.
OPINIONS = (
    _words("dull awful boring clumsy weak tiresome terrible silly dreary dreadful"),
    _words("wonderful brilliant lovely delightful funny lively clever charming warm superb"),
)
#: Sentences that judge: with the word itself, and with its opposite negated.
VERDICTS = (
    "the {aspect} is {much} {opinion}",
    "i found the {aspect} {much} {opinion}",
    "what a {opinion} film",
    "it is a {much} {opinion} film",
    "a {opinion} film with {much} {opinion} {aspect}",
)
NEGATED = (
    "the {aspect} is not {opinion} at all",
    "there is nothing {opinion} about the {aspect}",
    "it is never {opinion}",
)
#: Sentences that do not judge. An opinion in them is about somebody in the film.
PLOT = (
    "a {opinion} {person} meets a {person} in {place}",
    "the {person} is looking for a {opinion} {person}",
    "the {opinion} {person} leaves for {place} with a {person}",
    "the story begins in {place}",
    "a {person} and a {person} travel to {place}",
    "we saw it on a {day} after a long week",
    "there were five of us in the cinema on {day}",
)
SLOTS = {
    "aspect": _words("plot acting music script ending dialogue photography cast"),
    "much": _words("really truly so very rather quite"),
    "person": _words("detective singer thief widow teacher pilot cook painter nurse captain"),
    "place": _words("paris lisbon the_city the_mountains the_village a_small_town"),
    "day": _words("monday tuesday wednesday friday saturday sunday"),
}
#: How often a judgement is made by negating its opposite.
NEGATIONS = 0.3


def _sentence(draw: Draw, template: str, opinions: tuple[str, ...]) -> str:
    """A template with its places filled, each from its slot."""
    return " ".join(filled(draw, template, SLOTS | {"opinion": opinions})).replace("_", " ")


def _verdict(draw: Draw, label: int) -> str:
    if draw.chance(NEGATIONS):
        return _sentence(draw, draw.pick(NEGATED), OPINIONS[1 - label])
    return _sentence(draw, draw.pick(VERDICTS), OPINIONS[label])


@embedded("opinions")
def _make(
    split: str, *, examples: int = 2_000, held_out: int = 500, sentences: int = 5, seed: int = 0
) -> list[Labelled]:
    whole(1, 20_000, examples=examples)
    whole(1, 5_000, held_out=held_out)
    whole(2, 10, sentences=sentences)
    whole(0, seed=seed)
    draw = Draw(f"opinions {split} {seed}")

    def example(have: int) -> Labelled:
        label = have % 2  # in turn, so that the classes are as frequent
        count = draw.between(2, sentences)
        judging = draw.some(range(count), draw.between(1, 2))
        text = [
            _verdict(draw, label)
            if place in judging
            else _sentence(draw, draw.pick(PLOT), draw.pick(OPINIONS))
            for place in range(count)
        ]
        return Labelled("\n".join(text), label)

    return gather(
        split, example, lambda one: tuple(one.text.split()), examples=examples, held_out=held_out,
        sentences=sentences,
    )  # fmt: skip
