"""Refusals that many components share: each names the argument, what it was and must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


def at_least_one(**sizes: int) -> None:
    """Sizes and counts.

    Raises
    ------
    ValueError
        If one is below 1.
    """
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")


def one_of(known: Iterable[Any], **given: Any) -> None:
    """Arguments that take one of a few values.

    Raises
    ------
    ValueError
        If one is another; the message lists them.
    """
    known = list(known)
    for name, value in given.items():
        if value not in known:
            raise ValueError(f"{name} must be one of {known}, got {value!r}")


def even(**sizes: int) -> None:
    """Widths whose entries go in pairs.

    Raises
    ------
    ValueError
        If one is odd or below 2.
    """
    for name, size in sizes.items():
        if size < 2 or size % 2:
            raise ValueError(f"{name} must be even and at least 2, got {size}")


def above_zero(**numbers: float) -> None:
    """What one divides by or takes a logarithm of.

    Raises
    ------
    ValueError
        If one is 0 or below.
    """
    for name, number in numbers.items():
        if not number > 0:
            raise ValueError(f"{name} must be above 0, got {number}")


def share(**shares: float) -> None:
    """Shares to drop; dropping everything leaves nothing to grow.

    Raises
    ------
    ValueError
        If one does not lie in [0, 1).
    """
    for name, part in shares.items():
        if not 0 <= part < 1:
            raise ValueError(f"{name} must lie in [0, 1), got {part}")


def axes(name: str, x: Tensor, letters: str) -> None:
    """The axes of a tensor, as ``letters`` names them: ``"B T D"`` is batch, tokens, width.

    Raises
    ------
    ValueError
        If there are more or fewer.
    """
    if x.dim() == letters.count(" ") + 1:
        return
    wanted = letters.split()
    hint = ""
    if x.dim() == len(wanted) - 1 and wanted[0] == "B" and len(wanted) > 1:
        hint = f"; {name}[None] makes a batch of one"
    raise ValueError(f"{name} must be ({', '.join(wanted)}), got shape {tuple(x.shape)}{hint}")


def width(name: str, x: Tensor, **expected: int) -> None:
    """The last axis of tokens, under the name that the component gives it.

    Raises
    ------
    ValueError
        If it is another one.
    """
    if x.shape[-1] in expected.values():
        return
    ((letter, size),) = expected.items()
    raise ValueError(
        f"{name} must have {letter}={size} numbers for each token, got {x.shape[-1]} "
        f"({name} is {tuple(x.shape)})"
    )
