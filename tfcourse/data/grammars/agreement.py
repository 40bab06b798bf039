"""Subject-verb agreement over a distance, with nouns of the other number in between.

*The students in the exam where the fire alarm is ringing* must continue with *are*, even though the
three words before it are singular.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfcourse.arguments import several_of, whole
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Agreement
from tfcourse.data.grammars import lexicon
from tfcourse.data.grammars.gathering import gather
from tfcourse.data.grammars.trees import Noun, Preposition, Relative, Sentence, Verb, Word, realise

#: Maximum number of nouns between subject and verb.
MOST = 6

KINDS = tuple(lexicon.NOUNS)


class Grammar:
    """Generates sentences.

    ``held_out`` says whether subjects come from :data:`tfcourse.data.grammars.lexicon.HELD_OUT` or
    from the other nouns.
    """

    def __init__(self, draw: Draw, held_out: bool = False) -> None:
        self.draw = draw
        self.subjects = {
            kind: [n for n in nouns if (n.singular in lexicon.HELD_OUT) == held_out]
            for kind, nouns in lexicon.NOUNS.items()
        }

    def sentence(self, attractors: int) -> Sentence:
        """A sentence with ``attractors`` nouns of the other number between subject and verb.

        There may also be up to two nouns of the same number.
        """
        draw = self.draw
        plural = draw.chance(0.5)
        others = draw.pick((0, 0, 0, 1, 1, 2)) if attractors < MOST - 1 else 0
        numbers = draw.shuffled([not plural] * attractors + [plural] * others)
        kind = draw.pick(("person", "person", *KINDS))
        condition = self.condition(kind, len(numbers))
        subject = self.noun(kind, plural, self.subjects[kind])
        modifiers = self.modifiers(kind, numbers, condition) if numbers else ()
        two = condition == "coordination"
        return Sentence(
            _with(subject, modifiers),
            self.predicate(kind, bare=two),
            also=self.predicate(kind, bare=two) if two else None,
            told=self.teller() if condition == "sentential complement" else None,
            condition=condition,
        )

    def condition(self, kind: str, between: int) -> str:
        """A construction that has ``between`` nouns between subject and verb."""
        if not between:
            return self.draw.pick(("simple", "simple", "coordination", "sentential complement"))
        found = ["prepositional", "subject relative", "object relative", "bare object relative"]
        if between > 1 or kind == "place":
            found.append("where relative")
        if between > 1:
            found.append("nested")
        return self.draw.pick(found)

    def noun(self, kind: str, plural: bool, entries: Sequence[Any] | None = None) -> Noun:
        """A noun, one in four with an adjective."""
        entry = self.draw.pick(entries or lexicon.NOUNS[kind])
        adjectives = (self.draw.pick(lexicon.ADJECTIVES[kind]),) if self.draw.chance(0.25) else ()
        return Noun(
            entry.singular, entry.plural, plural, adjectives=adjectives, compound=entry.compound
        )

    def modifiers(self, kind: str, numbers: list[bool], condition: str) -> tuple:
        """Modifiers of a noun of this kind, which contain one noun for each of ``numbers``."""
        if not numbers:
            return ()
        first, rest = numbers[0], numbers[1:]
        # Within a construction only prepositions follow; in a nested one anything may.
        then = "prepositional"
        if condition == "nested":
            then = "nested"
            found = ["prepositional", "subject relative", "object relative", "bare object relative"]
            if kind == "place":
                found += ["where relative"] * 2
            condition = self.draw.pick(found)
        if condition == "where relative" and kind != "place":
            place = self.noun("place", first)
            following = self.modifiers("place", rest, "where relative")
            text = self.draw.pick(lexicon.PREPOSITIONS.get((kind, "place"), ("near",)))
            return (Preposition(text, _with(place, following)),)
        if condition == "where relative":
            return (self.where(first, rest),)
        if condition == "prepositional":
            other = self.draw.pick(KINDS)
            text = self.draw.pick(lexicon.PREPOSITIONS.get((kind, other), ("near",)))
            noun = self.noun(other, first)
            return (Preposition(text, _with(noun, self.modifiers(other, rest, then))),)
        person = self.noun("person", first)
        person = _with(person, self.modifiers("person", rest, then))
        if condition == "subject relative":
            forms = lexicon.TO_OTHERS if kind == "person" else lexicon.TO_PEOPLE
            return (Relative(Verb(*self.draw.pick(forms), after=(person,))),)
        pronoun = "" if condition == "bare object relative" else "that"
        return (Relative(Verb(*self.draw.pick(lexicon.TO_OTHERS)), pronoun, person),)

    def where(self, plural: bool, rest: list[bool]) -> Relative:
        """A clause: *where the fire alarm is ringing*, or where somebody is waiting."""
        singular, plural_form, been = self.draw.pick(lexicon.COPULAS)
        if self.draw.chance(0.5):
            name, doing = self.draw.pick(lexicon.HEARD)
            kind, entries = "thing", [n for n in lexicon.NOUNS["thing"] if n.singular == name]
        else:
            kind, entries = "person", None
            doing = self.draw.pick(lexicon.ALONE)[2]
        subject = self.noun(kind, plural, entries)
        subject = _with(subject, self.modifiers(kind, rest, "prepositional"))
        return Relative(Verb(singular, plural_form, _chain(*been, doing)), "where", subject)

    def predicate(self, kind: str, bare: bool = False) -> Verb:
        """A predicate for a subject of this kind; ``bare`` makes it short."""
        draw = self.draw
        said = draw.below(3 if kind == "person" else 2)
        if said == 0 or bare:
            if kind == "person" and draw.chance(0.5):
                return Verb(*draw.pick(lexicon.ALONE)[:2])
            if draw.chance(0.25):
                return self.copula(draw.pick(lexicon.STATES[kind]))
            return self.copula(draw.pick(lexicon.ADJECTIVES[kind]), draw.pick(lexicon.DEGREES))
        if kind == "person" and said == 1:
            return self.copula(draw.pick(lexicon.ALONE)[2])
        if kind == "person":
            other = self.noun(draw.pick(KINDS), draw.chance(0.5))
            return Verb(*draw.pick(lexicon.TO_OTHERS), after=(other,))
        if draw.chance(0.5):
            return Verb("brings", "bring", (Word("joy"), Word("to", after=(Word("people"),))))
        return Verb(*draw.pick(lexicon.TO_PEOPLE), after=(Word("people"),))

    def copula(self, said: str, degree: str = "") -> Verb:
        """*is*, *was* or *has been*, and its complement, perhaps with *really* before it."""
        singular, plural, been = self.draw.pick(lexicon.COPULAS)
        return Verb(singular, plural, _chain(*been, said, before=(degree,) if degree else ()))

    def teller(self) -> tuple[Noun, str]:
        """*the bankers thought*."""
        told = self.noun("person", self.draw.chance(0.5))
        return told, self.draw.pick(lexicon.TELLING)


def _with(noun: Noun, modifiers: tuple) -> Noun:
    return Noun(**{**vars(noun), "modifiers": modifiers})


def _chain(*words: str, before: tuple[str, ...] = ()) -> tuple[Word]:
    """Words each of which depends on the one before it; ``before`` precedes the last."""
    chain = Word(words[-1], before=before)
    for word in reversed(words[:-1]):
        chain = Word(word, after=(chain,))
    return (chain,)


@embedded("agreement")
def _make(
    split: str,
    *,
    attractors: tuple[int, ...] = (0, 1, 2, 3, 4),
    examples: int = 20_000,
    held_out: int = 2_000,
    seed: int = 0,
) -> list[Agreement]:
    several_of(range(MOST + 1), attractors=attractors)
    whole(1, 200_000, examples=examples)
    whole(1, 20_000, held_out=held_out)
    whole(0, seed=seed)
    # Two further test splits: more attractors than in training, and subjects never seen there.
    counts = (5, 6) if split == "test-deeper" else tuple(attractors)
    draw = Draw(f"agreement {split} {seed}")
    grammar = Grammar(draw, held_out=split == "test-nouns")
    found = gather(
        split,
        # In turn, so that all numbers of attractors are equally frequent.
        lambda have: realise(grammar.sentence(counts[have % len(counts)])),
        lambda example: example.words,
        examples=examples,
        held_out=held_out,
        attractors=counts,
    )
    return draw.shuffled(found)
