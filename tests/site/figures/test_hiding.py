"""Which words are chosen and what is read in their place."""

import pytest
from figure_pages import Keys, browser, numbers, typed

from coursebook.live.catalogue import FIGURES


def mulberry32(seed: int):
    """The figure's random numbers, in 32 bits as it counts them."""
    wide = 2**32

    def times(a: int, b: int) -> int:
        return a * b % wide

    while True:
        seed = (seed + 0x6D2B79F5) % wide
        mixed = times(seed ^ seed >> 15, 1 | seed)
        mixed = (mixed + times(mixed ^ mixed >> 7, 61 | mixed)) % wide ^ mixed
        yield (mixed ^ mixed >> 14) / wide


def hidden_words(words: list[str], seed: int, share: float, others: list[str]) -> list[str]:
    """What is read, or nothing for a word that is not chosen."""
    random, read = mulberry32(seed), []
    for word in words:
        choice, kind, which = next(random), next(random), next(random)
        other = others[int(which * len(others))]
        found = "[MASK]" if kind < 0.8 else other if kind < 0.9 else word
        read.append(found if choice < share else "")
    return read


@browser
def test_hiding(shown) -> None:
    keys, data = Keys(shown, "hiding"), FIGURES["hiding"].data
    words_ = data["sentence"].split()
    keys.reach("Draw")
    for press, turn in (("Home", 1), ("ArrowRight", 2), ("End", data["draws"])):
        keys.press(press)
        read = hidden_words(words_, turn, data["share"], data["others"])
        asked = [word for word, one in zip(words_, read, strict=True) if one]
        assert (
            f"Draw {turn}: the model must predict {len(asked)} of {len(words_)} words" in keys.said
        )
        for word, one in zip(words_, read, strict=True):
            kept = "left as it is" if one == word else f"read as {one}"
            said = f"to be predicted, and {kept}" if one else "not to be predicted"
            assert f"{word} is {said}" in keys.drawn(0)
    keys.reach("Share of chosen words")
    for press, share in (("Home", 0.05), ("End", 0.6)):
        keys.press(press)
        counted = {"chosen": 0, "[MASK]": 0, "another": 0, "as it is": 0}
        for turn in range(1, data["draws"] + 1):
            read = hidden_words(words_, turn, share, data["others"])
            for word, one in zip(words_, read, strict=True):
                counted["chosen"] += bool(one)
                kind = {"[MASK]": "[MASK]", word: "as it is"}.get(one, "another")
                counted[kind] += bool(one)
        chosen = counted["chosen"]
        shares = [counted[kind] / chosen for kind in ("[MASK]", "another", "as it is")]
        parts = [chosen / (data["draws"] * len(words_)), *shares]
        # Which rule it is, beside which numbers: near what the lesson says.
        assert parts == pytest.approx([share, 0.8, 0.1, 0.1], abs=0.05)
        assert numbers(keys.drawn(1))[1:] == pytest.approx([100 * p for p in parts], abs=0.051)
    keys = Keys(shown, "hiding")
    typed(keys, "Letters!")
    assert "of 1 words" in keys.said and "letters" in keys.drawn(0)
