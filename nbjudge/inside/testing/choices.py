"""Multiple choice with reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from nbjudge.inside.testing.handle import is_handle
from nbjudge.inside.testing.mistake import Mistake
from nbjudge.inside.testing.verbs import value

_scored_below = False


@contextmanager
def scored_below() -> Iterator[None]:
    """Use for a test cell that also calls :func:`choices`.

    That call scores each statement separately, so :func:`answered` leaves it to report those
    without an answer.
    """
    global _scored_below
    _scored_below = True
    try:
        yield
    finally:
        _scored_below = False


def answered(given: object, statements: list[str]) -> None:
    """Require that every statement was answered ``True`` or ``False``.

    When work is graded and the same cell calls :func:`choices`, a statement without an answer
    costs only its own points: nothing is raised for it here.

    Raises
    ------
    Mistake
        If some were not; the message counts those that were, and names the others.
    """
    answers = _answers(given)
    if _scored_below or _scored_in_this_cell():
        return
    if unknown := sorted(set(answers) - set(statements)):
        raise Mistake(
            f"There is no statement {', '.join(map(repr, unknown))}: what is it meant for?"
        )
    wrong_type = [s for s in statements if not isinstance(answers.get(s), bool | None)]
    if wrong_type:
        raise Mistake(_no_truth({s: answers[s] for s in wrong_type}))
    if missing := [s for s in statements if answers.get(s) is None]:
        so_far = f"{len(statements) - len(missing)} of {len(statements)} answered"
        raise Mistake(f"{so_far}; not yet: {', '.join(missing)}.")


def _scored_in_this_cell() -> bool:
    """Whether the cell that a notebook is running also calls :func:`choices`.

    This is so if nbgrader grades on its own.
    """
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and "choices(" in shell.user_ns.get("In", [""])[-1]


def choices(
    given: object, key: Mapping[str, bool], reasons: Mapping[str, str], points: float
) -> float:
    """Score true-or-false statements one by one, and print the reason for each wrong answer.

    As the last expression of a test cell, the result is the cell's partial credit.

    Parameters
    ----------
    given:
        A learner's answers, statement → ``True`` or ``False``; ``None`` if not answered.
    key, reasons:
        For each statement, whether it is true, and why.
    points:
        The points if all answers are right; each statement is worth the same.

    Returns
    -------
    score
        Between 0 and ``points``.

    Prints
    ------
    One paragraph for each statement that is not answered or answered wrongly, in the order of their
    names, and last how many are right, so that they appear in the feedback.

    Raises
    ------
    ValueError
        If a statement of ``key`` has no reason.
    Mistake
        If no statement was answered.
    """
    if without := sorted(set(key) - set(reasons)):
        raise ValueError(f"reasons must have one for each statement, missing: {', '.join(without)}")
    answers = _answers(given)
    if all(answers.get(s) is None for s in key):
        raise Mistake("No statement was answered.")
    lost = {s: answers.get(s) for s in sorted(key) if answers.get(s) is not key[s]}
    for statement, answer in lost.items():
        if answer is None:
            print(f"{statement}: not answered.")
        elif isinstance(answer, bool):
            print(f"{statement}: it is {key[statement]}. {reasons[statement]}")
    if strange := {s: a for s, a in lost.items() if not isinstance(a, bool | None)}:
        print(_no_truth(strange))
    right = len(key) - len(lost)
    if lost:
        print(f"{right} of {len(key)} {'is' if right == 1 else 'are'} right.")
    return round(points * right / len(key), 2)


def _no_truth(strange: Mapping[str, object]) -> str:
    """The message about answers that are neither true nor false."""
    statements = ", ".join(strange)
    if all(isinstance(answer, str) for answer in strange.values()):
        how = "True and False are written without quotation marks: yours are strings"
    else:
        first = next(iter(strange.values()))
        how = f"an answer must be True or False, yours is of type {type(first).__name__}"
    return f"{statements}: {how}. No points could be given."


def _answers(given: object) -> dict[str, object]:
    given = value(given) if is_handle(given) else given
    if given is None:
        raise Mistake(
            "`answers` is None: is it the result of a call such as answers.update(...), which "
            "returns nothing? It must stay a dict, statement → True or False."
        )
    if not isinstance(given, dict):
        raise Mistake(
            f"Your answers must stay a dict, statement → True or False; they are a "
            f"{type(given).__name__}."
        )
    return dict(given)
