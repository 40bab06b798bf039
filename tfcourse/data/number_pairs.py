"""Number words in two languages: an unlimited supply of pairs, each with one correct answer.

From German to English the alignment crosses. The test numbers are never seen in training.
"""

from __future__ import annotations

from collections.abc import Callable

from tfcourse.arguments import one_of, whole
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Pair
from tfcourse.data.number_pieces import number_pieces
from tfcourse.data.number_words import LANGUAGES, number_words

#: How a number is written: in its normal spelling, or with every piece as a separate word.
FORMS = ("words", "pieces")

#: Language learners have counted to a hundred, so these are always in the training set.
COUNTED = 100


def draw_numbers(split: str, *, largest: int, examples: int, held_out: int, seed: int) -> list[int]:
    """The numbers of one split, spread as evenly as possible over their lengths, in random order.

    Each occurs once, and in no other split. Validation and test numbers have three digits or more,
    and do not depend on ``examples``.
    """
    draw = Draw(f"number-words {seed} {largest}")
    ranges = [
        range(10 ** (digits - 1), min(10**digits - 1, largest) + 1)
        for digits in range(3, len(str(largest)) + 1)
    ]
    taken: set[int] = set()

    def take(count: int, ranges: list[range], most: Callable[[range], int]) -> list[int]:
        """Draw as evenly as the ranges allow: the shortest first, so others make up for it."""
        found: list[int] = []
        for i, numbers in enumerate(ranges):
            wanted = min((count - len(found)) // (len(ranges) - i), most(numbers))
            fresh = 0
            while fresh < wanted:
                number = numbers[draw.below(len(numbers))]
                if number not in taken:
                    taken.add(number)
                    found.append(number)
                    fresh += 1
        return found

    held = {}
    for name in ("validation", "test"):
        held[name] = draw.shuffled(take(held_out, ranges, lambda numbers: len(numbers) // 10))
    if split != "train":
        return held[split]
    ours = list(range(min(COUNTED, largest + 1)))[:examples]
    # At most seven in ten of a range, so that drawing a new one stays fast.
    return draw.shuffled(
        ours + take(examples - len(ours), ranges, lambda numbers: len(numbers) * 7 // 10)
    )


@embedded("number-words")
def _make(
    split: str,
    *,
    source: str = "de",
    target: str = "en",
    form: str = "words",
    largest: int = 999_999,
    examples: int = 20_000,
    held_out: int = 1_000,
    seed: int = 0,
) -> list[Pair]:
    one_of(LANGUAGES, source=source, target=target)
    one_of(FORMS, form=form)
    whole(999, 999_999, largest=largest)
    whole(1, examples=examples, held_out=held_out)
    whole(0, seed=seed)

    def written(number: int, language: str) -> str:
        if form == "pieces":
            return " ".join(number_pieces(number, language))
        return number_words(number, language)

    numbers = draw_numbers(split, largest=largest, examples=examples, held_out=held_out, seed=seed)
    return [Pair(written(n, source), written(n, target)) for n in numbers]
