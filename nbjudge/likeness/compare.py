"""Weigh what the answers to an exercise have in common: the rarer a passage, the more it weighs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from nbjudge.likeness.prints import AS_WRITTEN, Print, all_runs, prints

#: A passage is common, and weighs nothing, if this share of the learners have it.
COMMON = 1 / 3

#: The number of learners that makes a passage common is at least and at most this.
FEWEST, MOST = 6, 20

#: Answers have only a few tokens in common if their likeness weighs less than this.
LEAST_WEIGHT = 3.0


def rarity(learners: int, of: int) -> float:
    """The weight of what several learners have in common: 1 for two of them, 0 if it is common.

    In between it falls with the logarithm of their number, as an inverse document frequency does.

    Parameters
    ----------
    learners:
        The number of learners who have it.
    of:
        The number of learners who are compared.
    """
    common = min(max(of * COMMON, FEWEST), MOST)
    if not 2 <= learners < common:
        return 0.0
    return math.log(common / learners) / math.log(common / 2)


@dataclass(eq=False)
class ComparedAnswer:
    """One learner's answer to one exercise.

    Attributes
    ----------
    student:
        The learner's name.
    text:
        The answer; ``None`` if only its fingerprints were kept.
    code:
        Whether it is code and not a text.
    cohort:
        The name of an earlier cohort; empty for the class itself.
    prints:
        The fingerprints; by default those of the text.
    """

    student: str
    text: str | None
    code: bool
    cohort: str = ""
    prints: list[Print] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.text is not None:
            self.prints = prints(self.text, self.code)

    @property
    def name(self) -> str:
        """The learner's name, after that of an earlier cohort."""
        return f"{self.cohort}/{self.student}" if self.cohort else self.student

    @cached_property
    def marks(self) -> dict[str, set[int]]:
        """The fingerprints' hashes, by the way in which the answer was read."""
        marks: dict[str, set[int]] = {}
        for one in self.prints:
            marks.setdefault(one.how, set()).add(one.mark)
        return marks

    @cached_property
    def every_mark(self) -> set[int]:
        """All of these hashes."""
        return set().union(*self.marks.values())


@dataclass(frozen=True)
class Alike:
    """How much of an answer is found elsewhere, as shares from 0 to 1.

    ``form`` is the share without names and comments, or of a text's words; ``as_written`` the
    share with names and comments, ``None`` for a text. ``source`` says where.
    """

    form: float = 0.0
    as_written: float | None = None
    source: str = ""


class Base:
    """What the course gives to every learner, and what it has written itself.

    A passage of either never counts as taken from a neighbour.

    Parameters
    ----------
    answers:
        The answers that will be compared: passages that none of them has are not kept.
    """

    def __init__(self, answers: Iterable[ComparedAnswer]) -> None:
        self._wanted: set[int] = set().union(*(answer.every_mark for answer in answers))
        self.given: set[int] = set()
        self.sources: list[str] = []
        self._own: dict[int, list[int]] = {}

    def give(self, texts: Iterable[tuple[str, bool]]) -> None:
        """Add texts that every learner is given. Each comes with whether it is code."""
        for text, code in texts:
            self.given.update(self._wanted.intersection(all_runs(text, code)))

    def add(self, source: str, texts: Iterable[tuple[str, bool]]) -> None:
        """Add texts of the course's own under the name of their source, such as a file's."""
        number = len(self.sources)
        self.sources.append(source)
        for text, code in texts:
            for mark in self._wanted.intersection(all_runs(text, code)):
                known = self._own.setdefault(mark, [])
                if number not in known[-1:]:
                    known.append(number)

    def __contains__(self, mark: int) -> bool:
        return mark in self.given or mark in self._own

    def is_in(self, mark: int, source: str) -> bool:
        """Whether a source of the course's own has this passage and learners are not given it."""
        numbers = self._own.get(mark, ())
        return mark not in self.given and any(self.sources[n] == source for n in numbers)

    def resembled(self, answer: ComparedAnswer) -> Alike:
        """What an answer has in common with the source of the course's own most like it."""
        shares: dict[str, dict[int, float]] = {}
        for how, marks in answer.marks.items():
            theirs = marks - self.given
            counts = Counter(n for mark in theirs for n in self._own.get(mark, ()))
            shares[how] = {number: times / len(theirs) for number, times in counts.items()}
        as_written = shares.pop(AS_WRITTEN, None)
        (form,) = shares.values() or ({},)
        if not form:
            return Alike()
        best = max(form, key=lambda number: (form[number], -number))
        exact = None if as_written is None else as_written.get(best, 0.0)
        return Alike(form[best], exact, self.sources[best])


@dataclass(frozen=True)
class AnswerPair:
    """Two answers, what they have in common, and how much it weighs.

    ``one`` is of this class. ``alike`` counts everything in common that not every learner was
    given, common or rare.
    """

    one: ComparedAnswer
    other: ComparedAnswer
    weight: float
    alike: Alike

    @property
    def is_own(self) -> bool:
        """Whether both have the same name, so that the earlier one may be the learner's own."""
        return self.one.student == self.other.student


@dataclass
class Compared:
    """The answers to an exercise, compared.

    Attributes
    ----------
    answers:
        Those of the class.
    pairs:
        Pairs with anything rare in common, the heaviest first.
    compared:
        The number of pairs that were compared.
    rare:
        The weight of each rare passage, by its hash.
    own:
        How each answer of the class resembles the course's own code.
    """

    answers: list[ComparedAnswer]
    pairs: list[AnswerPair]
    compared: int
    rare: Mapping[int, float]
    own: Mapping[ComparedAnswer, Alike]


def compare(answers: Sequence[ComparedAnswer], base: Base) -> Compared:
    """Compare the answers to an exercise with each other and with the course's own code.

    Parameters
    ----------
    answers:
        Those of the class and of earlier cohorts, which are not compared with each other.
    base:
        What never counts as taken from a neighbour.
    """
    answers = sorted(answers, key=lambda answer: (answer.cohort, answer.student))
    ours = sum(not answer.cohort for answer in answers)
    having: dict[int, list[int]] = {}
    for place, answer in enumerate(answers):
        for mark in answer.every_mark:
            if mark not in base:
                having.setdefault(mark, []).append(place)
    rare = {mark: rarity(len(who), len(answers)) for mark, who in having.items()}
    rare = {mark: weight for mark, weight in rare.items() if weight}
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    for mark, weight in rare.items():
        for one, other in combinations(having[mark], 2):
            if one < ours:
                weights[one, other] += weight
    pairs = [
        AnswerPair(answers[one], answers[other], weight, _alike(answers[one], answers[other], base))
        for (one, other), weight in weights.items()
    ]
    pairs.sort(key=lambda pair: (-pair.weight, pair.one.name, pair.other.name))
    mine = answers[:ours]
    return Compared(
        mine,
        pairs,
        ours * (ours - 1) // 2 + ours * (len(answers) - ours),
        rare,
        {answer: base.resembled(answer) for answer in mine},
    )


def _alike(one: ComparedAnswer, other: ComparedAnswer, base: Base) -> Alike:
    shares: dict[str, float] = {}
    for how in one.marks.keys() & other.marks.keys():
        mine, theirs = one.marks[how] - base.given, other.marks[how] - base.given
        shares[how] = len(mine & theirs) / max(1, min(len(mine), len(theirs)))
    as_written = shares.pop(AS_WRITTEN, None)
    return Alike(next(iter(shares.values()), 0.0), as_written, other.name)


def segments(answer: ComparedAnswer, *wanted: set[int]) -> list[tuple[str, int]]:
    """An answer's text in pieces, each with the first set of passages that it belongs to.

    Parameters
    ----------
    answer:
        The answer.
    wanted:
        Sets of fingerprints' hashes.

    Returns
    -------
    Each piece with the number of its set, or -1 if it belongs to none.
    """
    text = answer.text or ""
    numbers = [-1] * len(text)
    for number in reversed(range(len(wanted))):
        for one in answer.prints:
            if one.mark in wanted[number]:
                numbers[one.begin : one.end] = [number] * (one.end - one.begin)
    parts, begin = [], 0
    for end in range(1, len(text) + 1):
        if end == len(text) or numbers[end] != numbers[begin]:
            parts.append((text[begin:end], numbers[begin]))
            begin = end
    return parts
