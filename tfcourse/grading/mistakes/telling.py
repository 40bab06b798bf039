"""Which of the known mistakes can be told from the right answer with the numbers at hand."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import Tensor

#: What a piece gives: a tensor or several; ``None`` for one that a mistake leaves right.
Answer = TypeVar("Answer", bound="Tensor | tuple[Tensor | None, ...]")


def others(
    found: dict[str, Answer], right: Tensor | tuple[Tensor | None, ...]
) -> dict[str, Answer]:
    """Without the mistakes that come to the right answer here, where sizes coincide or nothing is
    padded.

    Parameters
    ----------
    found:
        Message → what that mistake returns.
    right:
        The right answer.
    """

    def same(wrong: Tensor | None, part: Tensor | None) -> bool:
        if wrong is None or part is None:
            return True
        if wrong.shape != part.shape or wrong.dtype != part.dtype:
            return False
        near = 1e-10 if part.dtype == torch.float64 else 1e-5
        return torch.allclose(wrong, part, near, near)

    def parts(answer: Tensor | tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        return answer if isinstance(answer, tuple) else (answer,)

    return {
        message: wrong
        for message, wrong in found.items()
        if not all(same(w, r) for w, r in zip(parts(wrong), parts(right), strict=True))
    }
