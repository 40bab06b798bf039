"""What a learner is told of translations and scores that are wrong."""

import pytest
import torch

from nbjudge.testing import Mistake
from nbjudge_tfcourse.translating import (
    advice,
    as_scores,
    as_texts,
    mean,
    must_have_learned,
    near,
    noisy,
    thresholds_reached,
    words_right,
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


def test_words_are_right_at_their_place():
    assert words_right(["one hundred", "two", ""], ["one hundred", "two hundred", "six"]) == 0.5
    assert words_right(["hundred one"], ["one hundred"]) == 0


def test_thresholds_and_rounding():
    assert [thresholds_reached(x, (20, 40, 60)) for x in (0, 20, 59.9, 100)] == [0, 1, 2, 3]
    assert near(torch.tensor([-8.0]), torch.tensor([-8.005]))
    assert not near(torch.tensor([-8.0]), torch.tensor([-8.02]))


def network(weights):
    """The quality of a trained model: it falls as its weights move away from where they were."""
    moved = (weights["w"] - 1).pow(2).mean().sqrt()
    return float(80 * torch.exp(-((moved / 0.3) ** 2)))


LEARNED = {"w": torch.ones(1000), "at": torch.arange(3)}


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        (network, None),
        (lambda weights: 80.0, "noise as large as its weights.*keeps 100%"),
        (lambda weights: 80.0 * torch.equal(weights["w"], LEARNED["w"]), "noise of 5%.*keeps 0%"),
        (lambda weights: 80.0 * (network(weights) > 10), "destroys your translator from"),
    ],
)
def test_what_is_learned_gets_worse_by_degrees(measure, told):
    for seed in range(5):
        if told is None:
            must_have_learned(measure, LEARNED, seed)
        else:
            with pytest.raises(Mistake, match=told):
                must_have_learned(measure, LEARNED, seed)


def test_noise_is_as_large_as_it_says_and_leaves_indices_alone():
    changed = noisy(LEARNED, 0.5, seed=0)
    assert (changed["w"] - 1).std().item() == pytest.approx(0.5, rel=0.1)
    assert torch.equal(changed["at"], LEARNED["at"])
    [counts] = noisy({"q": torch.full((1000,), 40, dtype=torch.int8)}, 0.5, seed=0).values()
    assert counts.dtype == torch.int8 and counts.double().std().item() == pytest.approx(20, rel=0.1)
