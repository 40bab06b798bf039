"""Proportions, correlations and other statistics, each with its interval; and calibration."""

import math

import numpy as np
import pytest
import scipy.stats
import sklearn.calibration
import sklearn.metrics
import sklearn.preprocessing
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse.evaluation import (
    accuracy,
    bleu,
    bootstrap,
    calibration,
    exact_match,
    kendall,
    spearman,
    student,
    wilson,
)


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 5000), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_wilson_same_as_scipy(n, data, level):
    k = data.draw(st.integers(0, n))
    ours = wilson(k, n, level)
    theirs = scipy.stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert (ours.value, ours.n) == (k / n, n)
    assert ours.low == pytest.approx(theirs.low, abs=1e-12)
    assert ours.high == pytest.approx(theirs.high, abs=1e-12)
    assert 0 <= ours.low <= ours.value <= ours.high <= 1


def test_wilson_by_hand():
    """Brown, Cai and DasGupta's remark: with no success in n the upper end is z²/(n + z²)."""
    z2 = 1.959963984540054**2
    assert wilson(0, 10).high == pytest.approx(z2 / (10 + z2), rel=1e-12)
    assert wilson(0, 10).low == 0
    assert str(wilson(8, 10)) == "0.800 [0.490, 0.943], n = 10"


def test_wilson_holds_the_true_share_as_often_as_it_says():
    """Summed over all outcomes of 60 tries: no draw, so no chance."""
    for p in (0.03, 0.2, 0.5, 0.9):
        held = sum(
            scipy.stats.binom.pmf(k, 60, p)
            for k in range(61)
            if wilson(k, 60).low <= p <= wilson(k, 60).high
        )
        assert 0.92 < held < 0.98


def test_accuracy_and_exact_match_by_hand():
    assert accuracy([1, 2, 3, 4], [1, 2, 0, 4]) == wilson(3, 4)
    assert accuracy(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1, 2], [0, 0]])) == wilson(2, 4)
    assert accuracy(["noun", "verb"], ["noun", "noun"]) == wilson(1, 2)
    assert exact_match(["a b", "a  b", "A b"], ["a b"] * 3) == wilson(1, 3)
    labels = np.random.default_rng(0).integers(0, 3, (2, 500))
    assert accuracy(*labels).value == sklearn.metrics.accuracy_score(*labels)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=40))
def test_spearman_same_as_scipy(pairs):
    x, y = zip(*pairs, strict=True)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return
    ours = spearman(x, y)
    assert ours.value == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-12)
    assert -1 <= ours.low <= ours.value <= ours.high <= 1
    assert ours.n == len(pairs)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.floats(-3, 3)), min_size=2, max_size=40))
def test_kendall_same_as_scipy(pairs):
    x, y = zip(*pairs, strict=True)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return
    assert kendall(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)


def test_kendall_by_hand():
    """Of six pairs five agree and one does not: 4 of 6; with a tie in one, 5 of √(5 · 6)."""
    assert kendall([1, 2, 3, 4], torch.tensor([1.0, 2.0, 4.0, 3.0])) == pytest.approx(4 / 6)
    assert kendall([1, 1, 2, 3], [1, 2, 3, 4]) == pytest.approx(5 / math.sqrt(30))
    assert kendall(range(5), [-x for x in range(5)]) == -1


def test_a_standard_scaler_in_one_line_same_as_scikit_learn():
    """Lesson 08 compares layer norm with this line, and the lectures with scikit-learn's class."""
    x = torch.randn(6, 4, dtype=torch.float64)
    scaler = sklearn.preprocessing.StandardScaler()
    ours = (x - x.mean(dim=0)) / x.std(dim=0, correction=0)
    torch.testing.assert_close(ours, torch.tensor(scaler.fit_transform(x.numpy())))


def test_spearman_by_hand():
    """Ranks 1 2 3 4 5 against 2 1 4 3 5: 1 - 6 * 4 / (5 * 24) = 0.8."""
    ours = spearman([10, 20, 30, 40, 50], torch.tensor([2.0, 1.0, 4.0, 3.0, 9.0]))
    assert ours.value == pytest.approx(0.8, rel=1e-12)
    reach = 1.959963984540054 * math.sqrt((1 + 0.32) / 2)
    assert ours.low == pytest.approx(math.tanh(math.atanh(0.8) - reach), rel=1e-12)
    assert ours.high == pytest.approx(math.tanh(math.atanh(0.8) + reach), rel=1e-12)
    assert spearman(range(9), [x**3 for x in range(9)]).low == 1


def test_spearman_holds_the_true_correlation_as_often_as_it_says():
    """Pairs of normal numbers with correlation r: Spearman's is 6/π asin(r/2)."""
    generator = np.random.default_rng(0)
    r = 0.6
    true = 6 / math.pi * math.asin(r / 2)
    held = 0
    for _ in range(500):
        x, noise = generator.standard_normal((2, 100))
        found = spearman(x, r * x + math.sqrt(1 - r * r) * noise)
        held += found.low <= true <= found.high
    assert 0.92 < held / 500 < 0.98


def test_bootstrap_same_as_scipy():
    x, y = np.random.default_rng(1).standard_normal((2, 30))

    def slope(x, y):
        return float(np.polyfit(x, y, 1)[0])

    ours = bootstrap(slope, x, torch.tensor(y), resamples=400, seed=5, level=0.9)
    theirs = scipy.stats.bootstrap(
        (x, y), slope, paired=True, vectorized=False, n_resamples=400, confidence_level=0.9,
        method="percentile", rng=np.random.default_rng(5),
    ).confidence_interval  # fmt: skip
    assert ours.value == slope(x, y)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


def test_bootstrap_gives_a_tensor_to_the_statistic_as_an_array():
    seen = []
    bootstrap(lambda x: seen.append(type(x)) or float(x.mean()), torch.ones(4), resamples=3)
    assert set(seen) == {np.ndarray}


def test_bootstrap_of_texts():
    good = ["the cat sat on the mat"] * 30
    mixed = good[:15] + ["no cat was seen on a mat"] * 15
    found = bootstrap(lambda h, r: bleu(h, r).value, mixed, good, resamples=60)
    assert found.low < found.value < found.high < 100
    assert found.n == 30
    assert found == bootstrap(lambda h, r: bleu(h, r).value, mixed, good, resamples=60)
    wide = bootstrap(lambda h, r: bleu(h, r).value, mixed[::3], good[::3], resamples=60)
    assert wide.high - wide.low > found.high - found.low


def probabilities(N, C, seed=0, sharpness=2.0):
    generator = torch.Generator().manual_seed(seed)
    p = (torch.randn(N, C, generator=generator, dtype=torch.double) * sharpness).softmax(dim=1)
    return p, torch.multinomial(p, 1, generator=generator).squeeze(1)


def test_calibration_by_hand():
    """Two at 0.8, one of them right; two at 0.6, both right: (2 * 0.3 + 2 * 0.4) / 4."""
    p = torch.tensor([[0.8, 0.2], [0.2, 0.8], [0.6, 0.4], [0.4, 0.6]], dtype=torch.double)
    found = calibration(p, torch.tensor([0, 0, 0, 1]), bins=10)
    assert found.error == pytest.approx((2 * 0.3 + 2 * 0.4) / 4, rel=1e-12)
    assert found.brier == pytest.approx((0.08 + 1.28 + 0.32 + 0.32) / 4, rel=1e-12)
    assert found.count.tolist() == [0, 0, 0, 0, 0, 2, 0, 2, 0, 0]  # 0.6 and 0.8 are upper ends
    assert found.accuracy[[5, 7]].tolist() == pytest.approx([1, 0.5])
    assert found.confidence[[5, 7]].tolist() == pytest.approx([0.6, 0.8])
    assert found.accuracy.isnan().sum() == 8


def test_calibration_same_as_scikit_learn():
    p, right = probabilities(2000, 2)
    found = calibration(p, right, bins=10)
    sure, predicted = p.max(dim=1)
    share, mean = sklearn.calibration.calibration_curve(
        (predicted == right).numpy(), sure.numpy(), n_bins=10
    )
    kept = found.count > 0
    assert found.accuracy[kept].tolist() == pytest.approx(share.tolist(), abs=1e-12)
    assert found.confidence[kept].tolist() == pytest.approx(mean.tolist(), abs=1e-12)
    one_sided = sklearn.metrics.brier_score_loss(right.numpy(), p[:, 1].numpy())
    assert found.brier == pytest.approx(2 * one_sided, rel=1e-12)  # theirs counts one class of two


def test_calibration_tells_the_sure_from_the_calibrated():
    p, right = probabilities(20_000, 5)
    fair = calibration(p, right)
    assert fair.error < 0.02
    sharp = p**3 / (p**3).sum(dim=1, keepdim=True)
    assert calibration(sharp, right).error > 0.1
    assert calibration(sharp, right).brier > fair.brier
    sure = torch.eye(5, dtype=torch.double)
    assert calibration(sure, torch.arange(5)).error == calibration(sure, torch.arange(5)).brier == 0
    assert calibration(sure, (torch.arange(5) + 1) % 5).error == 1
    assert calibration(sure, (torch.arange(5) + 1) % 5).brier == 2
    assert calibration(p.float(), right).error == pytest.approx(fair.error, abs=1e-3)


P = torch.full((4, 2), 0.5)
Y = torch.tensor([0, 1, 0, 1])


@pytest.mark.parametrize(("call", "told"), [
    (lambda: wilson(0, 0), "n must be at least 1, got 0"),
    (lambda: wilson(5, 4), "successes must lie between 0 and n=4, got 5"),
    (lambda: wilson(1, 4, level=95), "level must lie between 0 and 1, got 95"),
    (lambda: accuracy([], []), "predicted must have at least one value, got none"),
    (lambda: accuracy([1, 2], [1]), r"right must be \(2,\), as predicted is, got \(1,\)"),
    (lambda: exact_match([], []), "hypotheses must have at least one text, got none"),
    (lambda: exact_match(["a"], ["a", "b"]), "references must be 1, one for each .* got 2"),
    (lambda: exact_match("ab", "ab"), "hypotheses must be several texts, got one str"),
    (lambda: bootstrap(np.mean), "samples must have at least one, got none"),
    (lambda: bootstrap(np.mean, []), r"one length, at least 1, got \[0\]"),
    (lambda: bootstrap(np.mean, [1], [1, 2]), r"one length, at least 1, got \[1, 2\]"),
    (lambda: bootstrap(np.mean, [1], resamples=0), "resamples must be at least 1, got 0"),
    (lambda: bootstrap(np.mean, [1], level=0), "level must lie between 0 and 1, got 0"),
    (lambda: spearman([1, 2, 3], [1, 2, 3]), "at least 4, got"),
    (lambda: spearman([1, 2, 3, 4], [1, 2, 3]), r"one length.* got \(4,\) and \(3,\)"),
    (lambda: spearman([1, 2, 3, 4], [2] * 4), "y must have an order, got 2.0 throughout"),
    (lambda: kendall([1], [2]), r"one length, at least 2, got \(1,\) and \(1,\)"),
    (lambda: kendall([1, 2], [2, 2]), "y must have an order, got 2.0 throughout"),
    (lambda: spearman([1, 2, math.nan, 4], range(4)), "x must be finite numbers, got nan"),
    (lambda: calibration(P[:0], Y[:0]), r"probabilities must be \(N, C\).* got \(0, 2\)"),
    (lambda: calibration(P[0], Y), r"probabilities must be \(N, C\).* got \(2,\)"),
    (lambda: calibration(P, Y[:3]), r"right must be \(4,\), one for each row, got \(3,\)"),
    (lambda: calibration(P * 3, Y), "sums of 3 to 3 .* are these logits"),
    (lambda: calibration(P + torch.tensor([1.0, -1.0]), Y), "a smallest of -0.5"),
    (lambda: calibration(P, Y + 1), "right must lie between 0 and 1, got 1 to 2"),
    (lambda: calibration(P, Y, bins=0), "bins must be at least 1, got 0"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_student_same_as_scipy():
    stats = pytest.importorskip("scipy.stats")
    for n, level in ((2, 0.95), (3, 0.95), (5, 0.95), (5, 0.9), (30, 0.99)):
        values = torch.randn(n, generator=torch.Generator().manual_seed(n)).double()
        found = student(values, level)
        theirs = stats.ttest_1samp(values, 0).confidence_interval(level)
        assert (found.low, found.high) == pytest.approx(tuple(theirs), rel=1e-6)
        assert found.value == pytest.approx(values.mean().item()) and found.n == n


def test_student_wants_two_values():
    with pytest.raises(ValueError, match="values must be at least two, got 1"):
        student([1.0])
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 1"):
        student([1.0, 2.0], level=1)
