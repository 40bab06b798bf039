"""Name the one mistake that explains all failed tests of a function, or none.

A failed test tells which known wrong answers give the same results there as the learner's, and
which give others. The cause that is named is the same in all failed tests of a function, and the
learner passes no test of it that this wrong answer fails.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

#: If more causes than this remain, none is named.
MOST_NAMED = 4

#: Separates the exercise's name from the test's in a grade id.
SEPARATOR = "--"


def exercise_of(test: str) -> str:
    """The exercise that a grade id belongs to: ``"scaling"`` for ``"scaling--values"``."""
    return test.split(SEPARATOR, 1)[0]


class WrongAnswer(NamedTuple):
    """A known wrong answer: its message, and its number among those with this message."""

    says: str
    number: int


@dataclass(frozen=True)
class Guess:
    """What a wrong result says about its cause.

    Attributes
    ----------
    fault:
        What is wrong with the result, in numbers.
    causes:
        The known wrong answers that give this result.
    against:
        Those that do not.
    own:
        The test's own messages for this result.
    fails:
        For each of ``causes``, in their order, the tests of the exercise that it fails.
    """

    fault: str
    causes: Sequence[WrongAnswer] = ()
    against: Collection[WrongAnswer] = ()
    own: Sequence[str] = ()
    fails: Sequence[Sequence[str]] = field(default=())

    def message(self) -> str:
        """The message if no other test is known."""
        return self.naming([*self.own, *(answer.says for answer in self.causes)])

    def naming(self, messages: Sequence[str]) -> str:
        """One message for several; if there are none, or too many, what is wrong in numbers."""
        messages = list(dict.fromkeys(messages))
        if not messages or len(messages) > MOST_NAMED:
            return self.own[0] if self.own else self.fault
        if len(messages) == 1:
            return messages[0]
        listed = "\n".join(f"- {message}" for message in messages)
        return f"Each of these mistakes gives the same numbers here:\n{listed}"


@dataclass(frozen=True)
class Ending:
    """How a test ended: the learner's functions that it called; if a result was wrong, a guess."""

    uses: frozenset[str]
    passed: bool
    guess: Guess | None = None


def agreed(endings: Mapping[str, Ending]) -> dict[str, str]:
    """The messages of the failed tests that a known wrong answer may explain, by test.

    Parameters
    ----------
    endings:
        The results of the tests that have run, by name, in order.
    """
    exercises: dict[str, dict[str, Ending]] = {}
    for test, ending in endings.items():
        exercises.setdefault(exercise_of(test), {})[test] = ending
    return {test: says for own in exercises.values() for test, says in _in_one(own)}


def _in_one(endings: Mapping[str, Ending]) -> Iterator[tuple[str, str]]:
    """The same for the tests of one exercise."""
    guesses = {test: o.guess for test, o in endings.items() if o.guess is not None}
    for tests, functions in _by_function({test: endings[test].uses for test in guesses}):
        group = [guesses[test] for test in tests]
        if not any(guess.causes or guess.against for guess in group):
            continue  # no wrong answer is known
        passed = {t for t, o in endings.items() if o.passed and o.uses <= functions}
        left = _in_all(group, passed)
        if left or len(group) == 1:
            for test, guess in zip(tests, group, strict=True):
                yield test, guess.naming([*(guess.own if len(group) == 1 else ()), *left])
            continue
        first = next(t for t, o in endings.items() if not o.passed and o.uses & functions)
        for test, guess in zip(tests, group, strict=True):
            start = "this test" if test == first else first
            yield test, f"Several things may be wrong; start with {start}. {guess.naming([])}"


def _by_function(uses: Mapping[str, frozenset[str]]) -> Iterator[tuple[list[str], set[str]]]:
    """Tests that use the same functions, together, and these functions."""
    left = dict(uses)
    while left:
        first = next(iter(left))
        tests, functions = [first], set(left.pop(first))
        while more := [test for test, names in left.items() if names & functions]:
            for test in more:
                functions |= left.pop(test)
            tests += more
        yield [test for test in uses if test in tests], functions


def _in_all(group: Sequence[Guess], passed: Collection[str]) -> list[str]:
    """The messages that explain every result, of wrong answers that fail no test passed."""
    excluded = {
        answer
        for guess in group
        for answer, fails in zip(guess.causes, guess.fails, strict=True)
        if not set(fails).isdisjoint(passed)
    }
    every = {answer for guess in group for answer in guess.causes} - excluded
    possible = [{answer.says for answer in every - set(guess.against)} for guess in group]
    named = dict.fromkeys(answer.says for guess in group for answer in guess.causes)
    return [says for says in named if all(says in here for here in possible)]
