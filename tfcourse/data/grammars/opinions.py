"""Short film reviews: a sentence or two that judge the film, among others about its plot.

Words of praise and blame also occur in the plot, about its characters, and a judgement may be
negated. So a bag of words does fairly well, and word order decides the rest.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from tfcourse.arguments import whole
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Labelled
from tfcourse.data.grammars.gathering import filled, gather

_SAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

#: Words of blame and of praise, in the order of the labels.
OPINIONS = tuple(tuple(_SAYS["opinions"][label].split()) for label in ("bad", "good"))

#: Sentences that judge, with the word itself and with its opposite negated, and those of the plot.
VERDICTS, NEGATED, PLOT = _SAYS["verdicts"], _SAYS["negated"], _SAYS["plot"]
SLOTS = {name: tuple(words.split()) for name, words in _SAYS["slots"].items()}

#: The fraction of judgements made by negating the opposite.
NEGATIONS = 0.3


def _sentence(draw: Draw, template: str, opinions: tuple[str, ...]) -> str:
    """A template with its words in braces drawn from their slots."""
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
        label = have % 2  # in turn, so that the classes are equally frequent
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
