"""What a learner is told of translations and scores that are wrong."""

import pytest
import torch

from nbjudge.testing import Mistake
from nbjudge_tfcourse.translating import (
    advice,
    as_scores,
    as_texts,
    mean,
    near,
    thresholds_reached,
)

SOURCES = ["sieben", "hundert", "zweihundertsechs", "eins"]
TARGETS = ["seven", "one hundred", "two hundred and six", "one"]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (TARGETS, ""),
        (["", "", "", "one"], "empty"),
        (SOURCES, "the German sources"),
        (["vier", "zwei", "drei", "acht"], "is it the other direction"),
        ([f"{t} and and" for t in TARGETS], "go on after their end"),
        (["", "one", "two hundred", "one"], ""),
        (["seven"] * 4, "Almost all translations are the same"),
        (TARGETS[1:] + TARGETS[:1], "belong to other sources"),
        (["seven", "one hundred", "two hundred and seven", "one"], ""),
    ],
)
def test_what_stands_out_is_told(found, told):
    said = advice(SOURCES, found, TARGETS)
    assert told in said and bool(told) == bool(said), said


def test_an_example_is_quoted_only_if_asked_for():
    found = [*TARGETS[:2], "two hundred and seven", "one"]
    said = advice(SOURCES, found, TARGETS, quote=True)
    assert said == (
        "For example, 'zweihundertsechs' becomes 'two hundred and seven', not "
        "'two hundred and six'."
    )
    assert advice(SOURCES, found, TARGETS) == ""


def test_a_reverse_order_is_told():
    found = [" ".join(target.split()[::-1]) for target in TARGETS[1:3]]
    assert "reverse order" in advice(SOURCES[1:3], found, TARGETS[1:3])


def test_too_early_an_end_is_told():
    targets = ["two hundred and six", "one hundred and one", "one thousand"]
    found = ["two hundred", "one hundred", "one"]
    assert "stop too early" in advice(["a", "b", "c"], found, targets)


@pytest.mark.parametrize(
    "found",
    [[[-1.0, -2.0]], ((-1, -2.0),), [torch.tensor([-1.0, -2.0])], (torch.tensor([-1, -2]),)],
)
def test_scores_may_be_lists_or_tensors(found):
    [scores] = as_scores(found, ["seven"])
    assert scores.dtype == torch.float64 and scores.tolist() == [-1.0, -2.0]
    assert mean([scores]) == -1.5


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (None, "returns NoneType. It must return a list with an entry for each of the 1 pairs"),
        (torch.zeros(1, 2), "returns Tensor. It must return a list with an entry"),
        ([], "returns 0 entries. It must return a list with an entry"),
        ([-1.0], "a list of numbers, or a tensor with one axis"),
        ([torch.tensor(-1.0)], "a list of numbers, or a tensor with one axis"),
        ([[True, -1.0]], "a list of numbers, or a tensor with one axis"),
        ([[-1.0]], "one for each word and one for the end: 2"),
        ([[-1.0, float("nan")]], "an infinite number, or NaN"),
        ([torch.tensor([0.0, -torch.inf])], "an infinite number, or NaN"),
    ],
)
def test_scores_of_another_form_are_refused(found, told):
    with pytest.raises(Mistake, match=told):
        as_scores(found, ["seven"])


@pytest.mark.parametrize("found", ["seven", None, [["seven"]], [1], ["seven", "eight"]])
def test_translations_of_another_form_are_refused(found):
    with pytest.raises(Mistake, match="`translate`"):
        as_texts(found, ["sieben"])
    assert as_texts([" seven  hundred"], ["siebenhundert"]) == ["seven hundred"]


def test_thresholds_and_rounding():
    assert [thresholds_reached(x, (20, 40, 60)) for x in (0, 20, 59.9, 100)] == [0, 1, 2, 3]
    assert near(torch.tensor([-8.0]), torch.tensor([-8.005]))
    assert not near(torch.tensor([-8.0]), torch.tensor([-8.02]))
