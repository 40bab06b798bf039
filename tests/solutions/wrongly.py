"""What the grader must do with a wrong answer."""

from __future__ import annotations

import re

from nbjudge.answers import Variant
from nbjudge.intake import cells
from nbjudge.store.results import StudentResult


def lost_of_exercise(result: StudentResult, exercise: str) -> dict[str, str]:
    """Test → what was told, for each test of the exercise that did not get all its points."""
    return {
        name: test.message
        for name, test in result.tests.items()
        if cells.exercise_of(name) == exercise
        and test.score is not None
        and test.score < test.max_score
    }


def check_wrong(lost: dict[str, str], variant: Variant) -> None:
    """The wrong answer loses the tests that it says, and one of them tells what it says.

    ``lost`` is what :func:`lost_of_exercise` gives.
    """
    assert set(lost) == set(variant.loses), f"it must lose {variant.loses} and loses {lost}"
    fits = re.compile(variant.match, re.IGNORECASE).search
    assert any(map(fits, lost.values())), f"no message fits match={variant.match!r}: {lost}"
    for name, message in lost.items():
        assert message, f"{name} says nothing"
        errors = r"(NameError|KeyError|IndexError|ValueError|TypeError)"
        assert not re.match(errors, message), message
