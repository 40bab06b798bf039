"""Sentences with the word *note* in three senses: a message, a tone, a mood.

A single vector for the word cannot distinguish them; the words around it can.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from tfcourse.arguments import whole
from tfcourse.data.corpus import Corpus
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Sense
from tfcourse.data.grammars.gathering import filled, gather

WORD = "note"
LABELS = ("message", "tone", "mood")

_SAYS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))

#: Words for the slots of the templates.
SLOTS = {name: tuple(words.split()) for name, words in _SAYS["slots"].items()}

#: Templates by sense; a word in braces is drawn from its slot.
TEMPLATES = {sense: tuple(texts) for sense, texts in _SAYS["templates"].items()}

#: The number of templates of each sense, the last ones, kept for ``test-templates``.
NEW_TEMPLATES = 2


@embedded("senses", labels=LABELS)
def _make(split: str, *, examples: int = 6_000, held_out: int = 600, seed: int = 0) -> list[Sense]:
    whole(1, 20_000, examples=examples)
    whole(1, 2_000, held_out=held_out)
    whole(0, seed=seed)
    draw = Draw(f"senses {split} {seed}")
    new = split == "test-templates"

    def example(have: int) -> Sense:
        label = have % len(LABELS)  # in turn, so that the senses are equally frequent
        templates = TEMPLATES[LABELS[label]]
        known = len(templates) - NEW_TEMPLATES
        template = draw.pick(templates[known:] if new else templates[:known])
        words = tuple(filled(draw, template, SLOTS))
        return Sense(words, words.index(WORD), label)

    found = gather(split, example, lambda one: one.words, examples=examples, held_out=held_out)
    return draw.shuffled(found)


def sense_pairs(corpus: Corpus[Sense], count: int, seed: int = 0) -> list[tuple[int, int, bool]]:
    """``count`` pairs of sentences, half of them with the word in the same sense.

    Each pair is two indices into the corpus, a split of ``senses``, and whether the sense is the
    same. At least two senses are needed, with two sentences of each.
    """
    whole(1, count=count)
    draw = Draw(f"pairs of senses {seed}")
    by_label: dict[int, list[int]] = {}
    for place, example in enumerate(corpus):
        by_label.setdefault(example.label, []).append(place)
    if len(by_label) < 2 or min(map(len, by_label.values())) < 2:
        raise ValueError(
            "corpus must have two sentences of each of two senses, got "
            f"{ {LABELS[label]: len(places) for label, places in sorted(by_label.items())} }"
        )
    labels = sorted(by_label)
    pairs = []
    for i in range(count):
        if i % 2:
            a, b = draw.some(by_label[draw.pick(labels)], 2)
        else:
            a, b = (draw.pick(by_label[label]) for label in draw.some(labels, 2))
        pairs.append((a, b, bool(i % 2)))
    return draw.shuffled(pairs)
