"""Your turn: compares what a learner wrote in a lesson with the right answer, and responds.

A lesson leaves dots in a cell, and the folded cell below judges what replaces them:
:func:`check` a value, ``answer = ...``, and :func:`check_code` a function or a class.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import traceback
from collections.abc import Callable, Sequence
from types import EllipsisType, FunctionType
from typing import Any

import torch
from torch import Tensor, nn

#: What an answer that is still dots is told.
INVITATION = "Your turn: replace the dots above, run that cell, then this one."


class NotYet(ValueError):
    """Why an answer cannot be judged; :func:`check_code` prints the message."""


def check(
    answer: Any,
    right: Any,
    *,
    said: str = "Right.",
    hints: Sequence[tuple[Any, str]] = (),
    hint: str = "Not yet. Try again, or unfold the answer below.",
) -> None:
    """Print feedback on an answer.

    Parameters
    ----------
    answer:
        What the learner wrote; ``...`` if nothing yet.
    right:
        The right answer: a tensor, a number, or anything that can be compared with ``==``.
    said:
        Printed if the two are equal, tensors and numbers within 0.001; a number may be rounded to
        two digits or more.
    hints:
        Likely wrong answers, each with the feedback for it.
    hint:
        Printed after any other wrong answer.
    """
    if isinstance(answer, EllipsisType):
        print(INVITATION)
    else:
        print(_judged(answer, right, said, hints, hint)[1])


def check_code(
    written: Callable[..., Any] | tuple[Callable[..., Any], ...],
    run: Callable[[Any], Any],
    right: Any,
    *,
    said: str,
    hints: Sequence[tuple[Any, str]] = (),
    hint: str = "Not yet. Compare line by line with the answer below.",
) -> bool:
    """Print feedback on a function or class in whose cell the learner replaced dots.

    Parameters
    ----------
    written:
        The function or the class, or several as a tuple.
    run:
        Called with ``written``; what it returns is compared with ``right``. The first line that
        is still dots, or that stops with an error, is named instead.
    right, said, hints, hint:
        As for :func:`check`. Each likely wrong answer is what one mistake returns, and its
        feedback names the line.

    Returns
    -------
    found
        Whether the answer is right; if not, the lesson goes on with its own.
    """
    if lines := blanks(written):
        named = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"
        print(f"Your turn: replace the dots in {named}, then run both cells.")
        return False
    try:
        with torch.random.fork_rng(devices=()):
            found, told = _judged(run(written), right, said, hints, hint)
    except NotYet as error:
        found, told = False, str(error)
    except Exception as error:  # whatever a learner's line may raise
        place = _line_of(error, written)
        found, told = False, f"{place} stops with {type(error).__name__}: {error}"
    print(told)
    return found


def same_weights(mine: nn.Module, ours: nn.Module) -> nn.Module:
    """Give a learner's module the weights of ours, and return it.

    Raises
    ------
    NotYet
        If a parameter is missing, has another name, or has another shape.
    """
    wanted, found = ours.state_dict(), mine.state_dict()
    if missing := sorted(set(wanted) - set(found)):
        raise NotYet(f"There is no {missing[0]}. Does __init__ make it, under this name?")
    if more := sorted(set(found) - set(wanted)):
        raise NotYet(f"{more[0]} is one parameter too many, or has another name than ours.")
    for name, weight in wanted.items():
        if weight.shape != found[name].shape:
            raise NotYet(
                f"{name} should have the shape {tuple(weight.shape)}, and yours has "
                f"{tuple(found[name].shape)}: look at where __init__ makes it."
            )
    mine.load_state_dict(wanted)
    return mine


def blanks(written: Callable[..., Any] | tuple[Callable[..., Any], ...]) -> list[int]:
    """The lines that are still dots, counted in their cell as JupyterLab counts them."""
    found = set()
    for function in _functions(written):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except OSError:  # written elsewhere than in a file or a cell
            continue
        first = function.__code__.co_firstlineno
        indices = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.Subscript)
            for inner in ast.walk(node.slice)
        }
        found |= {
            first + node.lineno - 1
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node.value is ... and id(node) not in indices
        }
    return sorted(found)


def _functions(written: Any) -> list[FunctionType]:
    if isinstance(written, tuple):
        return [function for one in written for function in _functions(one)]
    inside = vars(written).values() if isinstance(written, type) else [written]
    return [one for one in inside if isinstance(one, FunctionType)]


def _line_of(error: Exception, written: Any) -> str:
    """Which of the learner's lines an error comes from."""
    codes = {function.__code__ for function in _functions(written)}
    steps = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code in codes
    ]
    return f"Line {steps[-1]}" if steps else "Your code"


def _judged(
    answer: Any, right: Any, said: str, hints: Sequence[tuple[Any, str]], hint: str
) -> tuple[bool, str]:
    """Whether an answer is right, and what to say to it."""
    if _equal(answer, right):
        return True, said
    told = next((text for wrong, text in hints if _equal(answer, wrong)), "")
    if not told and _rounded(answer, right):
        return True, said
    return False, told or _shape(answer, right) or hint


def _rounded(answer: Any, right: Any) -> bool:
    """Whether a typed number is the right one, rounded to two digits or more; or each of several.

    ``coursebook/static/turn.js`` does the same with what is typed on the site.
    """
    if isinstance(answer, tuple) and isinstance(right, tuple) and len(answer) == len(right):
        return all(_equal(a, b) or _rounded(a, b) for a, b in zip(answer, right, strict=True))
    if type(answer) not in (int, float) or not isinstance(right, (int, float)):
        return False
    whole, _, digits = repr(answer).lstrip("-").removesuffix(".0").partition(".")
    if not (whole + digits).isdecimal() or len((whole + digits).lstrip("0")) < 2:
        return False
    return abs(answer - right) <= 0.5000001 * 10 ** -len(digits)


def _equal(answer: Any, other: Any) -> bool:
    if isinstance(answer, Tensor) and isinstance(other, Tensor):
        return answer.shape == other.shape and torch.allclose(
            answer.detach().double(), other.detach().double(), atol=1e-3, equal_nan=True
        )
    if isinstance(answer, (int, float)) and isinstance(other, (int, float)):
        return abs(answer - other) <= 1e-3
    if isinstance(answer, tuple) and isinstance(other, tuple):
        return len(answer) == len(other) and all(map(_equal, answer, other))
    return type(answer) is type(other) and bool(answer == other)


def _shape(answer: Any, right: Any) -> str:
    """What is wrong with a tensor's shape; empty if nothing is."""
    if not isinstance(right, Tensor):
        return ""
    if not isinstance(answer, Tensor):
        return f"The answer should be a tensor of shape {tuple(right.shape)}."
    if answer.shape != right.shape:
        return f"The shape should be {tuple(right.shape)}, and yours is {tuple(answer.shape)}."
    return ""
