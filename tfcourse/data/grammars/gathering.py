"""Drawing until there are enough different examples, each in the split that its words belong to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tfcourse.data.draw import share_of

E = TypeVar("E")

#: After this many draws without a new example we take it that there are no more.
PATIENCE = 5_000


def gather(
    name: str,
    count: int,
    example: Callable[[int], E],
    words: Callable[[E], tuple[str, ...]],
    shares: Mapping[str, int],
    share: str,
    **options: Any,
) -> list[E]:
    """Different examples that belong to one share of all.

    ``example`` draws one, given how many there are; its ``words`` must be different, and decide on
    the share as :func:`tfcourse.data.draw.share_of` does. If the ``options`` allow fewer, a
    ``ValueError`` names them and the option that says how many, ``name``.
    """
    found: dict[tuple[str, ...], E] = {}
    missed = 0
    while len(found) < count:
        one = example(len(found))
        key = words(one)
        if key not in found and share_of(" ".join(key), shares) == share:
            found[key] = one
            missed = 0
            continue
        missed += 1
        if missed > PATIENCE:
            limits = "".join(f", {option}={value!r}" for option, value in options.items())
            raise ValueError(
                f"{name} must be at most the {len(found)} different ones that were found, "
                f"got {count}{limits}"
            )
    return list(found.values())
