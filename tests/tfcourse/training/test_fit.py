"""The loop: many batches as one, clipping, precision, and what goes wrong."""

import math
import random
import shutil
import time

import numpy as np
import pytest
import torch
from small_run import LOSS, Shuffled, T, V, held_out, same_bits, small_fit, small_model
from torch import nn
from torch.nn.utils import clip_grad_norm_

from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.training import (
    NextToken,
    NotFinite,
    adamw,
    cosine,
    fit,
    label_smoothed_loss,
    mean_loss,
    sgd,
)

#: Not every device has float64, sparse gradients, or work that the processor's time measures.
EXACT = torch.device("cpu")


def uneven(dtype=None):
    """One batch, and the same in three parts that count 32, 5 and 9 tokens."""
    x, y = held_out(1)[0]
    y = y.clone()
    y[2, 5:] = y[3, 5:] = -1
    y[2, 1:] = -1
    y[3, :1] = -1
    return [(x, y)], [(x[:2], y[:2]), (x[2:3], y[2:3]), (x[3:], y[3:])]


def test_it_learns():
    """What follows is fixed by what stands before: the loss goes to 0."""
    x = torch.arange(4 * T).reshape(4, T) % V
    history = fit(
        small_model(dropout=0.0), [(x, (x + 1) % V)], loss=LOSS, steps=150, lr=cosine(1e-2, 150, 10)
    )
    assert history.loss[0] == pytest.approx(math.log(V), abs=0.1)
    assert history.loss[-1] < 0.05
    assert history.tokens_per_second > 0 and history.steps == range(1, 151)


@pytest.mark.parametrize("clip", [None, 0.1])
def test_accumulating_is_one_big_batch(clip):
    big, parts = uneven()
    models = [small_model(dropout=0.0, dtype=torch.float64) for _ in range(2)]
    one = fit(models[0], big, loss=LOSS, steps=5, clip=clip, lr=0.01, device=EXACT)
    three = fit(
        models[1], parts, loss=LOSS, steps=5, clip=clip, lr=0.01, accumulate=3, device=EXACT
    )
    assert one.tokens == three.tokens != [32.0] * 5
    for name in ("loss", "norm"):
        np.testing.assert_allclose(getattr(three, name), getattr(one, name), rtol=0, atol=1e-12)
    for a, b in zip(*(m.parameters() for m in models), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("clip", [None, 0.3, 1e9])
def test_a_step_is_pytorchs_by_hand(clip):
    """The norm in the history is the one before clipping."""
    ours, theirs = (small_model(dropout=0.0, dtype=torch.float64) for _ in range(2))
    batches = held_out(4)
    history = fit(ours, batches, loss=LOSS, steps=4, clip=clip, lr=0.1, optimiser=sgd(0.9),
                  device=EXACT)  # fmt: skip
    optimiser = torch.optim.SGD(theirs.parameters(), lr=0.1, momentum=0.9)
    for step, (x, y) in enumerate(batches):
        loss = nn.functional.cross_entropy(theirs(x).logits.transpose(1, 2), y)
        loss.backward()
        norm = clip_grad_norm_(theirs.parameters(), math.inf)
        for p in theirs.parameters() if clip is not None and norm > clip else ():
            p.grad *= clip / norm  # PyTorch adds 1e-6 to the length before it divides by it
        optimiser.step()
        optimiser.zero_grad()
        assert history.loss[step] == pytest.approx(loss.item(), abs=1e-12)
        assert history.norm[step] == pytest.approx(float(norm), abs=1e-12)
    assert min(history.norm) > 0.3
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_bfloat16_is_near_and_weights_stay():
    exact = small_fit(steps=8)[1]
    model, history = small_fit(steps=8, autocast="bfloat16")
    assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert history.loss != exact.loss
    np.testing.assert_allclose(history.loss, exact.loss, rtol=0, atol=0.05)


@pytest.mark.thorough("test of torch.compile")
def test_compiled_gives_the_same_losses():
    """A model of PyTorch's own: the shape checks that the tests add to ours cannot be compiled."""
    if not (shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")):
        pytest.skip("torch.compile needs a C++ compiler on the CPU, and there is none here")

    def loss(model, batch):
        return label_smoothed_loss(model(batch[0]), batch[1])

    histories = []
    for compile in (False, True):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Embedding(V, 8), nn.Tanh(), nn.Linear(8, V))
        choices = {"loss": loss, "steps": 3, "lr": 0.1, "compile": compile}
        histories.append(fit(model, held_out(), **choices))
        assert list(model.state_dict()) == ["0.weight", "2.weight", "2.bias"]
    np.testing.assert_allclose(histories[1].loss, histories[0].loss, rtol=0, atol=1e-5)


def test_gradients_with_few_rows_are_clipped_too():
    table = nn.Embedding(5, 2, sparse=True)

    def loss(model, batch):
        return model(batch).pow(2).sum() / 2, 2

    before = table.weight.detach().clone()
    ids = torch.tensor([1, 1, 3])
    history = fit(
        table, [ids], loss=loss, steps=1, lr=1.0, clip=0.5, device=EXACT,
        optimiser=lambda model: torch.optim.SGD(model.parameters(), lr=1.0),
    )  # fmt: skip
    gradient = torch.zeros(5, 2)
    gradient[1], gradient[3] = 2 * before[1], before[3]
    norm = gradient.norm()
    assert history.norm == [pytest.approx(float(norm))] and norm > 0.5
    torch.testing.assert_close(table.weight.detach(), before - gradient * 0.5 / norm)


def test_validation_leaves_training_as_it_was():
    def noisy(model):
        assert not model.training and not torch.is_grad_enabled()
        return {"bleu": float(torch.rand(())), "other": random.random() + np.random.rand()}

    expected = small_fit(validate=None)
    model, history = small_fit(validate=noisy, validate_every=1, higher_is_better=True)
    assert same_bits(expected[0], model) and expected[1].loss == history.loss
    assert list(history.validation) == ["step", "bleu", "other"]
    assert history.best(higher=True)[1] == max(history.validation["bleu"])


def test_the_mode_is_given_back_and_steps_are_told():
    told = []
    model = small_model().eval()
    small_fit(model=model, steps=3, on_step=lambda *about: told.append(about))
    assert not model.training
    assert [step for step, *_ in told] == [1, 2, 3]
    assert told[0][1] is model and len(told[0][2]) == 3


def test_gradients_from_before_do_not_count():
    model = small_model()
    model(held_out()[0][0]).logits.sum().backward()
    assert same_bits(small_fit(model=model)[0], small_fit()[0])


def test_the_seed_is_what_dropout_starts_from():
    one, same, other = (small_fit(seed=seed)[0] for seed in (3, 3, 4))
    assert same_bits(one, same) and not same_bits(one, other)


def test_time_may_be_limited(tmp_path):
    _, history = small_fit(tmp_path, steps=10**6, max_seconds=0.2, lr=1e-3)
    assert sum(history.seconds) >= 0.2 and sum(history.seconds[:-1]) < 0.2
    assert history.validation["step"][-1] == len(history)
    assert (tmp_path / f"step-{len(history):08d}").is_dir()
    assert len(small_fit(tmp_path, steps=10**6, max_seconds=0.2, lr=1e-3)[1]) == len(history)


@pytest.mark.parametrize("accumulate", [1, 2])
def test_batches_in_which_nothing_counts_change_nothing(accumulate, tmp_path):
    """Alone in a step they are passed over, beside others they add nothing."""
    full = held_out(4)
    nothing = full[0][0], torch.full_like(full[0][1], -1)
    batches = [nothing, full[0], full[1], nothing, nothing, full[2], nothing, full[3]]
    expected = small_fit(batches=full, accumulate=1, steps=6, model=small_model(dropout=0.0))
    if accumulate == 2:  # (nothing, 0), (1, nothing), (nothing, 2), (nothing, 3)
        batches += [nothing, nothing]
    changes = {"batches": batches, "accumulate": accumulate}
    got = small_fit(tmp_path, steps=3, model=small_model(dropout=0.0), **changes)
    got = small_fit(tmp_path, steps=6, model=small_model(dropout=0.0), **changes)
    assert same_bits(got[0], expected[0]) and same_bits(got[1], expected[1])


def test_nan_stops_before_the_step_and_keeps_the_batch(tmp_path):
    class Broken(Shuffled):
        def __iter__(self):
            for x, y in super().__iter__():
                # The fourth batch of the second pass, in the middle of step 5.
                yield (x, y, (self.epoch, self.place // self.size) == (1, 4))

    def loss(model, batch):
        mean, count = LOSS(model, batch[:2])
        return mean * (float("nan") if batch[2] else 1.0), count

    seen = {}
    model = small_model()

    def copy(step, model, history):
        seen[step] = {k: v.clone() for k, v in model.state_dict().items()}

    with pytest.raises(NotFinite, match=r"step 5 .*the loss is nan \(batch 3 of pass 1") as error:
        small_fit(tmp_path, model=model, batches=Broken(), loss=loss, on_step=copy)
    error = error.value
    assert (error.step, error.checkpoint.name) == (5, "step-00000004")
    assert str(error.path) in str(error) and str(error.checkpoint) in str(error)
    assert all(torch.equal(v, seen[4][k]) for k, v in model.state_dict().items())
    kept = torch.load(error.path, weights_only=True)
    assert [(b["epoch"], b["index"]) for b in kept["batches"]] == [(1, 3), (1, 4)]
    assert kept["batches"][0]["batch"][2] is True and math.isnan(kept["batches"][0]["loss"])
    assert torch.equal(kept["batches"][0]["batch"][0], error.batches[0].batch[0])


def test_a_gradient_that_is_infinite_stops_too():
    class Root(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(2))

        def forward(self):
            return self.w.sqrt().sum()

    with pytest.raises(NotFinite, match="step 1 .*gradient's norm is inf.*there is no check"):
        fit(Root(), [torch.zeros(1)], loss=lambda model, batch: (model(), 1), steps=1)


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (lambda model, batch: (1.0, 2), "loss must return .*got a float"),
        (lambda model, batch: model(batch[0]).logits.mean(), "loss must return .mean, count."),
        (lambda model, batch: (torch.ones(2), 2), r"got a tensor \(2,\), requires_grad=False"),
        (lambda model, batch: (model(batch[0]).logits.mean().detach(), 2), "requires_grad=False"),
        (
            lambda model, batch: (model(batch[0]).logits.mean(), 0),
            "least one token, got count 0",
        ),
        (lambda model, batch: (torch.ones((), requires_grad=True) * 1, 1), "none has a gradient"),
    ],
)
def test_a_loss_that_cannot_be_used_is_told(loss, said):
    with pytest.raises(ValueError, match=said):
        small_fit(loss=loss)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"accumulate": 0}, "accumulate must be at least 1, got 0"),
        ({"clip": 0.0}, "clip must be above 0, got 0.0"),
        ({"lr": 0.0}, "lr must be above 0, got 0.0"),
        ({"keep": 1}, "keep must be at least 2.*got 1"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"validate_every": 0}, "validate_every must be at least 1, got 0"),
        ({"checkpoint_every": 0}, "checkpoint_every must be at least 1, got 0"),
        ({"max_seconds": 0}, "max_seconds must be above 0, got 0"),
        ({"autocast": "float16"}, "autocast must be None or \"bfloat16\".*got 'float16'"),
        ({"parallel": "zero"}, "parallel must be one of .*got 'zero'"),
        ({"batches": []}, "batches must yield some at every pass, got none from list"),
        ({"batches": iter(held_out(1))}, "got none from list_iterator at pass"),
    ],
)
def test_bad_arguments_are_named(change, said):
    with pytest.raises(ValueError, match=said):
        small_fit(**change)


def test_nothing_is_printed_unless_asked(capsys):
    small_fit()
    assert capsys.readouterr() == ("", "")
    small_fit(progress=True)
    assert "14/14" in capsys.readouterr().out


def test_a_model_of_ones_own_will_do():
    """Any module, any nest of tensors, any optimiser."""
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    x = torch.randn(64, 3)
    batches = [{"x": x, "y": [x @ torch.tensor([[1.0], [-2.0], [3.0]])]}]

    def loss(model, batch):
        return (model(batch["x"]) - batch["y"][0]).pow(2).mean(), len(batch["x"])

    history = fit(model, batches, loss=loss, steps=300, lr=0.1, optimiser=adamw())
    assert history.loss[-1] < 1e-3 * history.loss[0]


@pytest.mark.thorough("test of a training that is stopped or shared")
def test_the_speed_of_a_plain_loop():
    """What the loop adds to a step of a small model stays small: processor time, in turns."""
    model = GPT(GPTConfig(65, 64, num_layers=4, num_heads=4, d_model=128))
    x = torch.randint(0, 65, (12, 64))
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def plain(steps):
        for _ in range(steps):
            loss = nn.functional.cross_entropy(model(x).logits.view(-1, 65), x.view(-1))
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()
            loss.item()

    def ours(steps):
        fit(model, [(x, x)], loss=NextToken(), steps=steps, device=EXACT)

    taken = {plain: [], ours: []}
    for _ in range(4):
        for loop in taken:
            began = time.process_time()
            loop(4)
            taken[loop].append(time.process_time() - began)
    assert min(taken[ours]) < 1.5 * min(taken[plain])


def test_the_validation_of_the_docs():
    validate = mean_loss(LOSS, held_out())
    model, history = small_fit(validate=validate)
    assert history.validation["loss"][-1] == validate(model.eval())
