"""Train short, test long: the same for every scheme, including a reader's own."""

import pytest
import torch
from torch import nn

from tfcourse.positions import (
    ALiBi,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
)
from tfcourse.runs.lengths import running_sentences, train_short_test_long

#: A text that counts: 0, 1, ..., 6, 0, 1, ...
TEXT = torch.arange(900) % 7
TINY = {
    "train_length": 4, "test_lengths": (4, 8), "text": TEXT, "steps": 4, "batch": 4,
    "num_layers": 1, "num_heads": 2, "d_model": 8, "watch_every": 2,
}  # fmt: skip


def tiny(scheme, **choices):
    return train_short_test_long(scheme, **TINY | {"seeds": (0,)} | choices)


class Window(Positions):
    """A reader's own: no token looks further back than ``reach`` places."""

    def __init__(self, reach):
        super().__init__()
        self.reach = reach

    def bias(self, q, S):
        T = q.shape[-2]
        back = torch.arange(S - T, S)[:, None] - torch.arange(S)
        return torch.where(back > self.reach, -torch.inf, 0.0)


@pytest.mark.parametrize(
    "scheme",
    [
        Positions(),
        SinusoidalPositions(8),
        Window(2),
        ALiBi(2),
        lambda s: RelativePositions(s.d_k),
        lambda s: RotaryPositions(s.d_k, "halves"),
    ],
)
def test_every_scheme_is_trained_and_tested(scheme):
    found = tiny(scheme, seeds=(0, 1))
    assert found.train_length == 4 and found.refused == {}
    assert found.steps == [2, 4] and found.curve.shape == (2, 2)
    assert {length: tuple(x.shape) for length, x in found.by_position.items()} == {
        4: (2, 4), 8: (2, 8)
    }  # fmt: skip
    for length, losses in found.losses.items():
        torch.testing.assert_close(torch.tensor(losses).double(), found.by_position[length].mean(1))
        assert found.means()[length] == pytest.approx(sum(losses) / 2)


def test_it_learns_a_text_that_can_be_learned():
    found = tiny(lambda s: RotaryPositions(s.d_k), steps=120, lr=1e-2, watch_every=40)
    assert found.losses[4][0] < 0.1


def test_a_seed_decides_the_run():
    one, same, other = (tiny(lambda s: ALiBi(s.num_heads), seeds=(n,)).losses for n in (0, 0, 1))
    assert one == same != other


def test_schemes_start_from_the_same_weights_and_read_the_same():
    """A scheme that does nothing, under another name, comes to the very same."""

    class Idle(Positions):
        pass

    assert tiny(Idle()).losses == tiny(lambda s: Positions()).losses


def test_all_lengths_judge_the_same_tokens():
    """Of what no context can help with, the loss is the same however long the windows."""

    class Blind(Positions):
        """Every token sees itself alone."""

        def bias(self, q, S):
            return torch.where(torch.eye(S, dtype=torch.bool), 0.0, -torch.inf)

    losses = tiny(Blind(), test_lengths=(4, 8, 16)).losses
    assert losses[4][0] == pytest.approx(losses[8][0], abs=1e-5)
    assert losses[4][0] == pytest.approx(losses[16][0], abs=1e-5)


def test_a_refused_length_is_told_and_not_an_error():
    found = tiny(lambda s: LearnedPositions(s.train_length, s.d_model), seeds=(0, 1))
    assert found.losses[8] == [None, None] and found.means()[8] is None
    assert "no code past the training length" in found.refused[8]
    assert list(found.by_position) == [4]


def test_a_refusal_of_the_training_length_is_an_error():
    with pytest.raises(ValueError, match="within the 2 learned positions"):
        tiny(lambda s: LearnedPositions(2, s.d_model))


def test_another_scheme_may_be_tested_than_was_trained():
    seen = []

    def stretched(trained, length):
        seen.append((type(trained), length))
        return RotaryPositions(trained.d_k, ntk=length / 4)

    learns = {"steps": 40, "lr": 1e-2, "watch_every": 40}
    as_trained = tiny(lambda s: RotaryPositions(s.d_k), **learns)
    found = tiny(lambda s: RotaryPositions(s.d_k), tested_as=stretched, **learns)
    assert seen == [(RotaryPositions, 4), (RotaryPositions, 8)]
    assert found.losses[4] == as_trained.losses[4] and found.losses[8] != as_trained.losses[8]
    both = tiny(lambda s: RotaryPositions(s.d_k), also={"stretched": stretched}, **learns)
    assert both.losses == as_trained.losses and both.also == {"stretched": found.losses}


def test_a_scheme_is_told_the_sizes_and_is_made_for_each_seed():
    seen = []

    def scheme(sizes):
        seen.append(sizes)
        return LearnedPositions(8, sizes.d_model)

    found = tiny(scheme, seeds=(0, 1))
    assert seen == [(8, 2, 4, 4)] * 2
    assert found.parameters == tiny(Positions()).parameters + 8 * 8


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"train_length": 0}, "train_length must be at least 1, got 0"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"test_lengths": ()}, "must not be empty"),
        ({"test_lengths": (4, 0)}, r"test_lengths\[1\] must be at least 1, got 0"),
        ({"seeds": ()}, "must not be empty"),
        ({"test_lengths": (4, 90)}, "at least 91 tokens in its last tenth"),
    ],
)
def test_what_makes_no_sense_is_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        tiny(Positions(), **choices)


def test_a_scheme_that_learns_must_be_made_anew():
    with pytest.raises(ValueError, match="lambda sizes: LearnedPositions"):
        tiny(LearnedPositions(8, 8))


def test_an_error_of_the_schemes_own_is_not_swallowed():
    class Wrong(Positions):
        def bias(self, q, S):
            return nn.Linear(3, 3)(q)

    with pytest.raises(RuntimeError):
        tiny(Wrong())


def test_the_sentences_run_on():
    ids = running_sentences(50)
    assert ids.dim() == 1 and ids.dtype == torch.int64
    stop = ids.mode().values  # "the" or the stop, whichever is more frequent
    assert len(ids) > 300 and int((ids == stop).sum()) >= 50
