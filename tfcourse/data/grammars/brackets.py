"""Matching brackets of several kinds: the Dyck languages, where what may follow is known."""

from __future__ import annotations

from tfcourse.data.corpus import Card, Loader, register
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import facts
from tfcourse.data.examples import Brackets
from tfcourse.data.grammars.gathering import gather
from tfcourse.data.options import whole

SHARES = {"train": 8, "validation": 1, "test": 1}

#: The kinds of bracket, opening and closing.
PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))

#: What a string ends with.
END = "end"


def judged(tokens: tuple[str, ...], kinds: int, deepest: int) -> Brackets:
    """A string of brackets with its depths, its partners and what may follow each of its starts.

    Parameters
    ----------
    tokens:
        Brackets and a last ``"end"``.
    kinds:
        How many of :data:`PAIRS` may be opened.
    deepest:
        How many may be open at once.

    Raises
    ------
    ValueError
        Where the brackets do not match, or too many are open.
    """
    closing = dict(PAIRS[:kinds])
    depths, partners, following = [], [-1] * len(tokens), []
    opened: list[int] = []
    for place, token in enumerate(tokens):
        allowed = [*closing] if len(opened) < deepest else []
        allowed += [closing[tokens[opened[-1]]]] if opened else [END]
        following.append(tuple(allowed))
        if token not in allowed:
            raise ValueError(
                f"tokens must match: at place {place} one of {allowed} may stand, got {token!r}"
            )
        if token in closing:
            opened.append(place)
        elif token != END:
            partner = opened.pop()
            partners[place], partners[partner] = partner, place
        depths.append(len(opened))
    if not tokens or tokens[-1] != END:
        raise ValueError(f"tokens must end in {END!r}, got {' '.join(tokens)!r}")
    return Brackets(tokens, tuple(depths), tuple(partners), tuple(following))


def _make(
    split: str,
    *,
    kinds: int = 2,
    shortest: int = 2,
    longest: int = 32,
    deepest: int = 5,
    examples: int = 10_000,
    held_out: int = 1_000,
    seed: int = 0,
) -> list[Brackets]:
    whole(1, len(PAIRS), kinds=kinds)
    whole(2, 1_000, shortest=shortest)
    whole(shortest, 1_000, longest=longest)
    whole(1, 100, deepest=deepest)
    whole(1, 1_000_000, examples=examples, held_out=held_out)
    whole(0, seed=seed)
    share, limit = split, deepest
    if split == "test-longer":
        share, shortest, longest = "test", longest + 1, 2 * longest
    elif split == "test-deeper":
        share, limit = "test", 2 * deepest
        shortest = max(shortest, 2 * deepest + 2)
        longest = max(longest, shortest)
    draw = Draw(f"brackets {split} {seed}")

    def example(have: int) -> Brackets | None:
        length = 2 * draw.between((shortest + 1) // 2, longest // 2)
        one = judged(_string(draw, kinds, length, limit), kinds, limit)
        return None if split == "test-deeper" and max(one.depths) <= deepest else one

    return gather(
        "examples" if split == "train" else "held_out",
        examples if split == "train" else held_out,
        example,
        lambda one: one.tokens,
        SHARES,
        share,
        kinds=kinds,
        longest=longest,
        deepest=deepest,
    )


def _string(draw: Draw, kinds: int, length: int, deepest: int) -> tuple[str, ...]:
    """Matching brackets, as many as ``length``, never more than ``deepest`` open at once."""
    tokens: list[str] = []
    opened: list[str] = []
    for left in range(length, 0, -1):
        must_close = len(opened) == min(left, deepest)
        if opened and (must_close or draw.chance(0.5)):
            tokens.append(opened.pop())
        else:
            opening, closing = draw.pick(PAIRS[:kinds])
            tokens.append(opening)
            opened.append(closing)
    return (*tokens, END)


register(
    Loader(
        Card(
            name="brackets",
            title="Matching brackets",
            what="A string of matching brackets, how deep each stands and what may follow.",
            kind="embedded",
            task="language modelling",
            **facts("brackets"),
            licence="the course's own",
            citation="after Hewitt et al. 2020, RNNs can generate bounded hierarchical languages",
            homepage="https://aclanthology.org/2020.emnlp-main.156",
            options={
                "kinds": "how many kinds of bracket, 1 to 4",
                "shortest": "the least number of brackets",
                "longest": "the most; test-longer has up to twice as many",
                "deepest": "how many are open at once at most; test-deeper has up to twice as many",
                "examples": "how many strings to train on",
                "held_out": "how many in each of the other splits",
                "seed": "another seed draws other strings",
            },
        ),
        _make,
    )
)
