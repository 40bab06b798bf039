"""Refusals that the loaders share: each names the option, what it was and what it must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def whole(low: int, high: int | None = None, **given: Any) -> None:
    """Refuse options that are no whole number from ``low`` to ``high``, if that is given."""
    for name, value in given.items():
        fits = isinstance(value, int) and not isinstance(value, bool)
        if not fits or value < low or (high is not None and value > high):
            bounds = f"at least {low}" if high is None else f"from {low} to {high}"
            raise ValueError(f"{name} must be a whole number, {bounds}, got {value!r}")


def several_of(known: Iterable[Any], **given: Any) -> None:
    """Refuse options that are no tuple of one or several of a few values."""
    known = list(known)
    for name, values in given.items():
        several = () if isinstance(values, str) or not isinstance(values, Iterable) else values
        if not several or any(value not in known for value in several):
            raise ValueError(f"{name} must be a tuple of some of {known}, got {values!r}")
