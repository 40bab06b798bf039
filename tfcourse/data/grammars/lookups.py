"""Look-ups: one across a gap, and two at once.

In ``recall`` a token must be remembered while others go by. In ``two-lookups`` the answer joins the
values at two positions, in the order that the question gives.
"""

from __future__ import annotations

from collections.abc import Callable

from tfcourse.arguments import whole
from tfcourse.data.draw import Draw, share_of
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Lookup

SHARES = {"train": 8, "validation": 1, "test": 1}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _drawn(split: str, examples: int, held_out: int, example: Callable[[], Lookup]) -> list[Lookup]:
    """Examples whose tokens assign them to a split; short ones occur more than once."""
    count = examples if split == "train" else held_out
    found: list[Lookup] = []
    tries = 0
    while len(found) < count:
        one = example()
        tries += 1
        if share_of(" ".join(one.tokens), SHARES) == split:
            found.append(one)
        elif tries > 10_000 and not found:
            raise ValueError(
                f"the options must allow more different sequences: none of them is in {split}"
            )
    return found


def _gaps(gap: int | tuple[int, int]) -> tuple[int, int]:
    """The shortest gap and the longest."""
    try:
        low, high = (gap, gap) if isinstance(gap, int) else gap
        whole(0, 10_000, gap=low)
        whole(low, 10_000, gap=high)
    except (ValueError, TypeError):
        raise ValueError(
            f"gap must be a whole number from 0, or the least and the most, got {gap!r}"
        ) from None
    return low, high


@embedded("recall")
def _recall(
    split: str,
    *,
    gap: int | tuple[int, int] = 20,
    pairs: int = 1,
    keys: int = 8,
    values: int = 10,
    fillers: int = 8,
    examples: int = 10_000,
    held_out: int = 1_000,
    seed: int = 0,
) -> list[Lookup]:
    low, high = _gaps(gap)
    whole(1, len(LETTERS), keys=keys)
    whole(1, keys, pairs=pairs)
    whole(2, 1_000, values=values)
    whole(1, 1_000, fillers=fillers)
    whole(1, 1_000_000, examples=examples, held_out=held_out)
    whole(0, seed=seed)
    draw = Draw(f"recall {split} {seed}")

    def example() -> Lookup:
        tokens = []
        for key in draw.some(LETTERS[:keys], pairs):
            tokens += [key, str(draw.below(values))]
        asked = 2 * draw.below(pairs)
        tokens += [f".{draw.below(fillers)}" for _ in range(draw.between(low, high))]
        return Lookup((*tokens, f"?{tokens[asked]}"), tokens[asked + 1], (asked + 1,))

    return _drawn(split, examples, held_out, example)


@embedded("two-lookups")
def _two_lookups(
    split: str,
    *,
    items: int = 6,
    keys: int = 8,
    values: int = 6,
    examples: int = 20_000,
    held_out: int = 2_000,
    seed: int = 0,
) -> list[Lookup]:
    whole(2, len(LETTERS), keys=keys)
    whole(2, keys, items=items)
    whole(2, 10, values=values)
    whole(1, 1_000_000, examples=examples, held_out=held_out)
    whole(0, seed=seed)
    draw = Draw(f"two-lookups {split} {seed}")

    def example() -> Lookup:
        held = [(key, draw.below(values)) for key in draw.some(LETTERS[:keys], items)]
        first, second = draw.some(range(items), 2)
        tokens = [f"{key}{value}" for key, value in held]
        question = f"?{held[first][0]}{held[second][0]}"
        answer = f"{held[first][1]}{held[second][1]}"
        return Lookup((*tokens, question), answer, (first, second))

    return _drawn(split, examples, held_out, example)
