"""Agreement: what a model that knows, or does not know, the answer is told."""

import pytest
import torch
from torch import nn

from tfcourse.data import Agreement, MinimalPair
from tfcourse.models.output import Output
from tfcourse.runs.agreement import by_attractors, by_construction
from tfcourse.tokenizers import WordTokenizer

WORDS = ["the", "dog", "dogs", "near", "cat", "cats", "runs", "run"]
TOKENS = WordTokenizer(["<pad>", "<s>", "</s>", *WORDS], ["<pad>", "<s>", "</s>"])


class Knows(nn.Module):
    """Prefers the verb that agrees with the word at a place, counted from the start."""

    def __init__(self, place):
        super().__init__()
        self.nothing = nn.Parameter(torch.zeros(1))
        self.place = place

    def forward(self, ids):
        logits = torch.zeros(*ids.shape, len(TOKENS))
        plural = ids[:, self.place] == TOKENS.id("dogs")
        logits[..., TOKENS.id("run")] = torch.where(plural, 1.0, -1.0)[:, None]
        return Output(logits)


def sentence(text, verb, right, wrong, attractors):
    return Agreement(tuple(text.split()), verb, right, wrong, attractors, 1, None, "")


EXAMPLES = [
    sentence("the dog runs", 2, "runs", "run", 0),
    sentence("The dogs run", 2, "run", "runs", 0),
    sentence("the dog near the dogs runs", 5, "runs", "run", 1),
    sentence("the dogs near the cats run", 5, "run", "runs", 0),
    sentence("the dogs near the zebra run", 5, "run", "runs", 1),  # not covered
    sentence("the dogs run zebra", 2, "run", "runs", 0),  # covered: unknown after the verb
]


def test_the_form_is_judged_by_what_stands_before_it_and_by_attractors():
    found = by_attractors(Knows(2), TOKENS, EXAMPLES)
    assert (found["covered"], found["of"]) == (5, 6)
    assert found["accuracy"] == 1.0 and found["n"] == 5
    assert {k: v["n"] for k, v in found["by attractors"].items()} == {"0": 4, "1": 1}
    fooled = by_attractors(Knows(-1), TOKENS, EXAMPLES)  # looks at the last word alone
    assert fooled["by attractors"]["1"]["accuracy"] == 0.0
    low, high = found["95 % interval"]
    assert low < 1.0 == high


def test_pairs_are_judged_by_the_whole_sentence_and_by_construction():
    pairs = [
        MinimalPair("the dogs run", "the dogs runs", "simple/plural"),
        MinimalPair("the dog runs", "the dog run", "simple/singular"),
        MinimalPair("the dog near the dogs runs", "the dog near the dogs run", "prep/sing_plur"),
        MinimalPair("the zebra runs", "the zebra run", "simple/singular"),
    ]
    found = by_construction(Knows(2), TOKENS, pairs)
    assert (found["covered"], found["of"], found["accuracy"]) == (3, 4, 1.0)
    assert set(found["by construction"]) == {"simple", "prep"}


def test_where_nothing_is_covered_nothing_is_claimed():
    found = by_attractors(Knows(2), TOKENS, EXAMPLES[4:5])
    assert found == {"covered": 0, "of": 1}
    with pytest.raises(KeyError):
        found["accuracy"]
