"""The numbers that a turn's check takes as right: the lesson's own code computes them."""

import itertools
import re
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
import torch
from torch.nn import functional as F

from coursebook import course, live
from coursebook.live.catalogue import FIGURES
from coursebook.sphinx.turn import judged
from coursebook.turn import check

ROOT = course.root(Path(__file__).parent)


class Asked(NamedTuple):
    """A turn: the cells that its answer needs, and what computes the answer from them."""

    lesson: str
    turn: str
    before: tuple[str, ...] = ()
    computed: str = ""  # if empty, the code of the folded answer


NUMBERS = (
    Asked("01-words", "look-up", ("table",)),
    Asked("01-words", "count", ("one-hot", "pairs-of"), "how_many = len(pairs_of(phrase, 2))"),
    Asked("01-words", "pmi"),
    Asked("02-recurrence", "step", ("sentence", "by-hand", "your-turn-step")),
    Asked("02-recurrence", "clip", ("your-turn-clip",)),
    Asked("02-recurrence", "gate"),
    Asked("03-pooling", "deletion", ("stored", "confidence"), "how_many = fewest(mixed)"),
    Asked("03-pooling", "pair", ("stored", "votes", "your-pair")),
)


def sources(lesson: str) -> dict[str, str]:
    notebook = nbformat.read(course.Lesson(ROOT, lesson).notebook, as_version=4)
    return {cell.id: cell.source for cell in notebook.cells}


def drawn_nowhere(*args: Any, **kwargs: Any) -> None:
    """In place of a drawing's functions."""


def known(lesson: str, before: tuple[str, ...]) -> dict[str, Any]:
    """What the lesson's cells define; nothing is drawn."""
    nowhere = dict.fromkeys(("draw", "looks", "shaded", "words"), drawn_nowhere)
    found = {"torch": torch, "F": F, "live": live, "check": check, **nowhere}
    there = sources(lesson)
    for name in before:
        exec(there[name], found)

    def fewest(text: str) -> int:
        """The size of the smallest set of words without which the share of bad is below 0.5."""
        words = sorted(set(text.split()))
        return next(
            size
            for size in range(1, len(words))
            if any(
                found["bad_share"](text, out) < 0.5 for out in itertools.combinations(words, size)
            )
        )

    found["fewest"] = fewest
    return found


@pytest.mark.parametrize("asked", NUMBERS, ids=lambda one: f"{one.lesson[:2]}-{one.turn}")
def test_the_right_numbers_are_those_that_the_lesson_computes(asked: Asked, capsys) -> None:
    there, before = sources(asked.lesson), torch.get_default_dtype()
    field = judged(there[f"check-{asked.turn}"])
    assert field, "not a field on the site"
    answer = re.search(r"```python\n(.*?)```", there[f"answer-{asked.turn}"], re.S)[1]
    torch.set_default_dtype(torch.float64)
    try:
        names = known(asked.lesson, asked.before)
        exec(asked.computed or answer, names)
        capsys.readouterr()
        exec(there[f"check-{asked.turn}"], names)
    finally:
        torch.set_default_dtype(before)
    assert capsys.readouterr().out.strip() == field["said"]


def test_the_gate_that_is_right_keeps_the_plural_as_it_was_after_students() -> None:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        cells = ("sentence", "by-hand", "rnn-step", "your-turn-gate")
        names = known("02-recurrence", cells)
        field = judged(sources("02-recurrence")["check-gate"])
        also, plain, shut, *_ = [wrong for wrong, _ in field["hints"]]
        states, read = names["states"], names["read_with_gate"]
        for right in (field["right"], also):
            assert torch.equal(read(right), states[2])
        assert torch.equal(read(plain), states[11]) and not read(shut).any()
    finally:
        torch.set_default_dtype(before)


def test_what_is_said_of_one_word_or_two_taken_out() -> None:
    names = known("03-pooling", ("stored", "confidence"))
    said = sources("03-pooling")["check-deletion"]
    for words, share in ((("stale", "dull"), "0.86"), (("stale", "dull", "jokes"), "0.47")):
        assert f"{names['bad_share'](names['mixed'], words):.2f}" == share
        assert f"{share} bad" in said


def test_what_is_said_of_the_review_at_the_beginning() -> None:
    """Equal weights make it bad, as does the loss of one word; no other weights can spare it."""
    names = known("03-pooling", ("stored", "drawing-opening", "confidence"))
    opening, place = names["opening"], names["named"].index("solid")
    assert names["verdict"](names["equal"]) == "bad, 56 %"
    assert names["verdict"](names["own"]) == "good, 77 %"
    assert names["bad_share"](opening, ["solid"]) > 0.5
    votes = names["vectors"](opening) @ names["u"]
    average = names["own"] @ votes
    assert [j for j, vote in enumerate(votes) if vote > average] == [place]
    best = votes[torch.arange(len(votes)) != place].max()
    assert (average - best) / (votes[place] - best) > 1 / 3
    both = votes[place] + votes[names["named"].index("movie")]
    assert abs(both) < 0.05  # in the mean the two cancel


def test_up_and_to_the_left_the_query_finds_anything() -> None:
    """What lesson 03 says of the figure: where the verdict turns, and what the corner finds."""
    data = FIGURES["important-word"].data
    x = torch.tensor(list(data["words"].values()))
    names = known("03-pooling", ("stored", "drawing-opening"))
    two = torch.stack([names["u"], names["v_real"][0] / 2], dim=1)
    assert list(data["words"]) == names["named"]
    torch.testing.assert_close(x, names["vectors"](names["opening"]) @ two, atol=0.006, rtol=0)

    def read(*v: float) -> tuple[float, int]:
        a = (x @ torch.tensor(v)).softmax(0)
        return (a @ x)[0].item() + data["constant"], int(a.argmax())

    assert data["constant"] == names["b_real"][1] - names["b_real"][0]
    assert read(0, 0.5)[0] < 0 < read(0, 0.6)[0]
    score, heaviest = read(-2.7, 2.6)
    assert score < 0 and names["named"][heaviest] == "anything"
