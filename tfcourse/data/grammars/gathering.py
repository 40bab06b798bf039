"""Draw until there are enough distinct examples, each in the split that its words determine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tfcourse.data.draw import Draw, share_of

E = TypeVar("E")

#: The share of all examples that each split gets: decided by their words, whatever the options.
#: Further test splits draw from the test's share.
SHARES = {"train": 3, "validation": 1, "test": 1}

#: After this many draws without a new example we assume that there are no more.
PATIENCE = 5_000


def gather(
    split: str,
    example: Callable[[int], E],
    words: Callable[[E], tuple[str, ...]],
    *,
    examples: int,
    held_out: int,
    **options: Any,
) -> list[E]:
    """Distinct examples of a split: ``examples`` of them for training, otherwise ``held_out``.

    ``example`` draws one, given how many there are; its ``words`` must be unique, and decide which
    of :data:`SHARES` it belongs to. If the ``options`` allow fewer, raises ``ValueError``.
    """
    name, count = ("examples", examples) if split == "train" else ("held_out", held_out)
    share = split if split in SHARES else "test"
    found: dict[tuple[str, ...], E] = {}
    missed = 0
    while len(found) < count:
        one = example(len(found))
        key = words(one)
        if key not in found and share_of(" ".join(key), SHARES) == share:
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


def filled(draw: Draw, template: str, slots: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The words of a template, each one in braces replaced by a word drawn from its slot."""
    return [
        draw.pick(slots[word[1:-1]]) if word.startswith("{") else word for word in template.split()
    ]
