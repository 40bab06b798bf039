"""Label smoothing against PyTorch's, and the losses of models on a batch."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from small_run import held_out, small_model

from tfcourse.models.classifiers import PoolingClassifier, PoolingConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.training import (
    Classification,
    NextToken,
    Translation,
    label_smoothed_loss,
    mean_loss,
)


@settings(max_examples=60, deadline=None)
@given(shape=st.lists(st.integers(1, 5), min_size=1, max_size=3), V=st.integers(1, 9),
       smoothing=st.floats(0, 0.99), ignored=st.booleans(), seed=st.integers(0, 2**32 - 1),
       dtype=st.sampled_from([torch.float32, torch.float64]))  # fmt: skip
def test_equal_to_pytorchs_with_its_gradient(shape, V, smoothing, ignored, seed, dtype):
    torch.manual_seed(seed)
    logits = (3 * torch.randn(*shape, V, dtype=dtype)).requires_grad_()
    targets = torch.randint(0, V, shape)
    ignore = -100
    if ignored:
        targets = targets.masked_fill(torch.rand(shape) < 0.3, ignore)
        targets.view(-1)[0] = 0  # at least one counts
    mean, count = label_smoothed_loss(logits, targets, smoothing, ignore if ignored else None)
    (gradient,) = torch.autograd.grad(mean, logits)
    expected = F.cross_entropy(
        logits.view(-1, V), targets.view(-1), ignore_index=ignore, label_smoothing=smoothing
    )
    tolerance = {torch.float32: 1e-5, torch.float64: 1e-10}[dtype]
    torch.testing.assert_close(mean, expected, rtol=0, atol=tolerance)
    torch.testing.assert_close(
        gradient, torch.autograd.grad(expected, logits)[0], rtol=0, atol=tolerance
    )
    assert count == (targets != ignore).sum()


def test_a_known_answer():
    """p = (1/2, 1/4, 1/4), y the first, a tenth spread: q = (14/15, 1/30, 1/30)."""
    logits = torch.tensor([[0.5, 0.25, 0.25]], dtype=torch.float64).log()
    mean, count = label_smoothed_loss(logits, torch.tensor([0]), 0.1)
    assert float(mean) == pytest.approx(14 / 15 * math.log(2) + 2 / 30 * math.log(4))
    assert int(count) == 1


def test_places_that_do_not_count_say_nothing_even_where_they_are_nan():
    logits = torch.zeros(2, 3, requires_grad=True)
    with torch.no_grad():
        logits[1] = float("nan")
    mean, count = label_smoothed_loss(logits, torch.tensor([1, 7]), 0.1, ignore=7)
    assert mean.item() == pytest.approx(math.log(3)) and int(count) == 1


def test_where_nothing_counts_the_loss_is_0_with_its_gradient():
    logits = torch.randn(2, 3, requires_grad=True)
    mean, count = label_smoothed_loss(logits, torch.tensor([7, 7]), 0.1, ignore=7)
    mean.backward()
    assert mean == 0 and count == 0 and not logits.grad.any()


def test_half_precision_is_summed_in_float32():
    mean, _ = label_smoothed_loss(torch.zeros(4, 5, dtype=torch.bfloat16), torch.zeros(4).long())
    assert mean.dtype == torch.float32 and float(mean) == pytest.approx(math.log(5))


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"targets must be \(2, 3\).*got \(2,\)"):
        label_smoothed_loss(torch.zeros(2, 3, 4), torch.zeros(2).long())
    with pytest.raises(ValueError, match=r"smoothing must lie in \[0, 1\), got 1.5"):
        label_smoothed_loss(torch.zeros(2, 4), torch.zeros(2).long(), 1.5)


def test_next_token_and_classification():
    model, (x, y) = small_model().eval(), held_out()[0]
    mean, count = NextToken()(model, (x, y))
    assert count == y.numel()
    torch.testing.assert_close(mean, F.cross_entropy(model(x).logits.transpose(1, 2), y))
    classifier = PoolingClassifier(PoolingConfig(13, d_model=8, classes=3)).eval()
    lengths, labels = torch.tensor([8, 3, 5, 1]), torch.tensor([0, 1, 2, 0])
    mean, count = Classification(0.1)(classifier, (x, lengths, labels))
    assert count == 4
    expected = F.cross_entropy(classifier(x, lengths).logits, labels, label_smoothing=0.1)
    torch.testing.assert_close(mean, expected)


def test_translation_reads_all_but_the_last_and_says_all_but_the_first():
    torch.manual_seed(0)
    sizes = {
        "num_encoder_layers": 1,
        "num_decoder_layers": 1,
        "num_heads": 2,
        "d_model": 8,
        "padding": 0,
    }
    model = Transformer(TransformerConfig(9, **sizes)).eval()
    source, lengths = torch.randint(1, 9, (2, 5)), torch.tensor([5, 3])
    target = torch.tensor([[1, 5, 6, 2], [1, 7, 2, 0]])
    mean, count = Translation(padding=0)(model, (source, target, lengths))
    logits = model(source, target[:, :3], lengths).logits
    assert count == 5
    expected = F.cross_entropy(logits.view(-1, 9), target[:, 1:].reshape(-1), ignore_index=0)
    torch.testing.assert_close(mean, expected)


def test_mean_loss_weights_batches_by_their_tokens():
    model, (x, y) = small_model().eval(), held_out(1)[0]
    loss = NextToken(ignore=-1)
    y = y.clone()
    y[1:, 2:] = -1
    whole, _ = loss(model, (x, y))
    parts = mean_loss(loss, [(x[:1], y[:1]), (x[1:], y[1:])])(model)
    assert parts == pytest.approx(float(whole), abs=1e-6)
    assert parts == mean_loss(loss, [(x[:1], y[:1]), (x[1:], y[1:])])(model)


@pytest.mark.parametrize("loss", [
    NextToken(ignore=0),
    lambda model, batch: (  # 0 / 0
        F.cross_entropy(model(batch[0]).logits.flatten(0, 1), batch[1].flatten(), ignore_index=0),
        int((batch[1] != 0).sum()),
    ),
], ids=["ours", "a learner's"])  # fmt: skip
def test_a_held_out_batch_in_which_nothing_counts_does_not_count(loss):
    model, (x, y) = small_model().eval(), held_out(1)[0]
    expected = mean_loss(loss, [(x, y)])(model)
    assert expected == mean_loss(loss, [(x, y), (x, 0 * y)])(model)
    with pytest.raises(ValueError, match="batches must .* with tokens that count, got none"):
        mean_loss(loss, [(x, 0 * y)])(model)


def test_mean_loss_needs_batches_each_time():
    validate = mean_loss(NextToken(), iter(held_out()))
    validate(small_model())
    with pytest.raises(ValueError, match="batches must be a collection"):
        validate(small_model())
