"""Which of the known mistakes a result can be, and which the numbers at hand cannot tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

import torch
from torch import Tensor

#: What an exercise gives: a tensor, a number, a text, a list, or several of these in a tuple;
#: ``None`` for a part that a mistake leaves right.
Answer = TypeVar("Answer")
#: Several of these in a tuple.
Parts = TypeVar("Parts", bound=tuple[Tensor | None, ...])


def others(found: Mapping[str, Answer], right: Answer) -> dict[str, Answer]:
    """Leave out the mistakes that give the right answer here, as where sizes coincide.

    Parameters
    ----------
    found:
        Message → what that mistake returns.
    right:
        The right answer.
    """

    def same(wrong: object, part: object) -> bool:
        return wrong is None or part is None or near(wrong, part)

    return {
        message: wrong
        for message, wrong in found.items()
        if not all(same(w, r) for w, r in zip(_parts(wrong), _parts(right), strict=True))
    }


def told_once(found: Mapping[str, Answer], most: int = 3) -> dict[str, Answer]:
    """Mistakes that come to the same here in one message: nobody can say which it was.

    Parameters
    ----------
    found:
        Message → what that mistake returns: a tensor, a number, a text, a list, or several of these
        in a tuple, ``None`` for one that tells nothing.
    most:
        If more of them than this give the same result, they tell nothing and none is named.
    """
    left, told = list(found), {}
    while left:
        same = [left.pop(0)]
        for message in same:  # it grows: what is like one of them belongs to all of them
            like = [m for m in left if _alike(found[m], found[message])]
            left = [m for m in left if m not in like]
            same += like
        if len(same) == 1:
            told[same[0]] = found[same[0]]
        elif len(same) <= most:
            listed = "\n".join(f"- {message}" for message in same)
            least = max(same, key=lambda message: _unknown(found[message]))
            told[f"Each of these mistakes gives the same numbers here:\n{listed}"] = found[least]
    return told


def told_apart(found: Mapping[str, Parts], right: tuple[Tensor, ...]) -> dict[str, Parts]:
    """The :func:`others`, :func:`told_once`; a part that a mistake leaves right tells too."""
    whole = {
        message: tuple(r if w is None else w for w, r in zip(wrong, right, strict=True))
        for message, wrong in found.items()
    }
    return cast(dict[str, Parts], told_once(others(whole, right)))


def faults(found: Mapping[str, Parts], right: tuple[Tensor | None, ...]) -> dict[str, Parts]:
    """With ``None`` for the parts that a mistake leaves right: it is not known by them.

    Those of which more is known come first.
    """
    known = {
        message: tuple(
            None if part is not None and due is not None and near(part, due) else part
            for part, due in zip(wrong, right, strict=True)
        )
        for message, wrong in found.items()
    }
    return cast(dict[str, Parts], dict(sorted(known.items(), key=lambda item: _unknown(item[1]))))


def fitting(got: object, found: Mapping[str, tuple]) -> dict[str, tuple]:
    """The mistakes that explain all the results that came back, and not just one of them.

    Parameters
    ----------
    got:
        What a verb gave back.
    found:
        Message → the several results of that mistake, ``None`` for one that tells nothing.
    """
    if not isinstance(got, tuple | list):
        return {}
    return {message: wrong for message, wrong in found.items() if _alike(wrong, tuple(got))}


def _alike(one: object, other: object) -> bool:
    """Whether two answers agree in all parts that both know."""
    if len(_parts(one)) != len(_parts(other)):
        return False
    pairs = zip(_parts(one), _parts(other), strict=True)
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    return bool(known) and all(near(a, b) for a, b in known)


def _unknown(answer: object) -> int:
    return sum(part is None for part in _parts(answer))


def _parts(answer: object) -> tuple:
    return answer if isinstance(answer, tuple) else (answer,)


def near(one: object, other: object) -> bool:
    """Whether a check would take one for the other."""
    if not all(isinstance(x, int | float | Tensor) for x in (one, other)):
        return type(one) is type(other) and one == other  # a text, or a list of ids
    one, other = _tensor(one), _tensor(other)
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    near = 1e-10 if one.dtype == torch.float64 else 1e-5
    return torch.allclose(one.double(), other.double(), near, near, equal_nan=True)


def _tensor(x: object) -> Tensor:
    return x if isinstance(x, Tensor) else torch.tensor(x, dtype=torch.float64)
