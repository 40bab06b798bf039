"""Your turn: compares what a learner wrote in a lesson with the right answer, and responds.

A lesson leaves dots in a cell, ``answer = ...``, and the folded cell below calls :func:`check`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import EllipsisType
from typing import Any

import torch
from torch import Tensor


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
        Printed if the two are equal, tensors and numbers within 0.001.
    hints:
        Likely wrong answers, each with the feedback for it.
    hint:
        Printed after any other wrong answer.
    """
    if isinstance(answer, EllipsisType):
        print("Nothing to check yet. Replace the dots above, run that cell, then this one.")
    elif _equal(answer, right):
        print(said)
    else:
        print(
            next(
                (told for wrong, told in hints if _equal(answer, wrong)),
                _shape(answer, right) or hint,
            )
        )


def _equal(answer: Any, other: Any) -> bool:
    if isinstance(answer, Tensor) and isinstance(other, Tensor):
        return answer.shape == other.shape and torch.allclose(
            answer.detach().double(), other.detach().double(), atol=1e-3
        )
    if isinstance(answer, (int, float)) and isinstance(other, (int, float)):
        return abs(answer - other) <= 1e-3
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
