"""Measured values with their confidence intervals, and rank correlations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from torch import Tensor

from tfcourse.arguments import at_least_one
from tfcourse.evaluation.translation import check_texts

#: A value for each example.
Values = Sequence[Any] | np.ndarray | Tensor


@dataclass(frozen=True)
class Interval:
    """A measured ``value``, the ends of its confidence interval, and the number of examples."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}], n = {self.n}"


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    r"""A proportion with Wilson's interval, which unlike the usual one holds near 0 and 1 too.

    .. math:: \frac{\hat p + \frac{z^2}{2n} \pm
              z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}}{1 + \frac{z^2}{n}}

    ``level`` is how often such an interval contains the true proportion, between 0 and 1;
    ``successes`` lie between 0 and ``n``. Other numbers raise ``ValueError``.

    Notes
    -----
    Wilson 1927; Brown, Cai and DasGupta 2001, who recommend it.
    """
    at_least_one(n=n)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n={n}, got {successes}")
    z = _quantile(level)
    p = successes / n
    middle = p + z**2 / (2 * n)
    reach = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    whole = 1 + z**2 / n
    # Rounding may leave the ends just outside [0, 1].
    low = 0.0 if successes == 0 else (middle - reach) / whole
    high = 1.0 if successes == n else (middle + reach) / whole
    return Interval(p, low, high, n)


def accuracy(predicted: Values, right: Values, level: float = 0.95) -> Interval:
    """The fraction of predictions that are correct, with Wilson's interval.

    Classes are lists, arrays or tensors of one shape; others, and empty ones, raise ``ValueError``.
    """
    predicted, right = _column("predicted", predicted), _column("right", right)
    if predicted.shape != right.shape:
        raise ValueError(f"right must be {predicted.shape}, as predicted is, got {right.shape}")
    return wilson(int((predicted == right).sum()), predicted.size, level)


def student(values: Values, level: float = 0.95) -> Interval:
    r"""A mean over two or more runs, with Student's interval.

    .. math:: \bar x \pm t_{n-1} \frac{s}{\sqrt{n}}

    One number for each run, such as a loss for each seed. For two models run with the same seeds,
    pass the differences of the pairs. Fewer than two values raise ``ValueError``.
    """
    x = _column("values", values).astype(float)
    if len(x) < 2:
        raise ValueError(f"values must be at least two, got {len(x)}")
    half = _student_quantile(level, len(x) - 1) * x.std(ddof=1) / math.sqrt(len(x))
    return Interval(float(x.mean()), float(x.mean() - half), float(x.mean() + half), len(x))


def exact_match(
    hypotheses: Sequence[str], references: Sequence[str], level: float = 0.95
) -> Interval:
    """The fraction of texts that match to the last character, with Wilson's interval.

    Empty lists, and those of different lengths, raise ``ValueError``.
    """
    check_texts(hypotheses=hypotheses, references=references)
    same = sum(h == r for h, r in zip(hypotheses, references, strict=True))
    return wilson(same, len(references), level)


def bootstrap(
    statistic: Callable[..., float],
    *samples: Values,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Any statistic of a sample, with its bootstrap interval.

    The sample is drawn again many times, with replacement and at its full size; the interval is the
    middle part of the resulting statistics.

    Parameters
    ----------
    statistic:
        ``statistic(*samples)`` is the value.
    samples:
        Lists, arrays or tensors with a value for each example, of one length, at least 1; the
        values of an example stay together. A list is passed on as a list, a tensor as an array.
    resamples, seed:
        Number of draws, and the seed of the draws.
    level:
        The fraction of statistics within the interval.

    Notes
    -----
    Efron 1979; for BLEU: Koehn 2004.
    """
    if not samples:
        raise ValueError("samples must have at least one, got none")
    at_least_one(resamples=resamples)
    _quantile(level)
    given = [s.detach().cpu().numpy() if isinstance(s, Tensor) else s for s in samples]
    n = len(given[0])
    if not n or any(len(s) != n for s in given):
        raise ValueError(
            f"samples must be of one length, at least 1, got {[len(s) for s in given]}"
        )
    generator = np.random.default_rng(seed)
    figures = []
    for _ in range(resamples):
        drawn = generator.integers(0, n, n)
        again = (s[drawn] if isinstance(s, np.ndarray) else [s[i] for i in drawn] for s in given)
        figures.append(statistic(*again))
    outside = (1 - level) / 2
    low, high = np.quantile(figures, [outside, 1 - outside])
    return Interval(float(statistic(*given)), float(low), float(high), n)


def spearman(x: Values, y: Values, level: float = 0.95) -> Interval:
    r"""How well two orderings agree: Spearman's rank correlation.

    .. math:: \tanh\Big(\operatorname{artanh} \rho \pm
              z \sqrt{\frac{1 + \rho^2 / 2}{n - 3}}\Big)

    Equal numbers share the mean of their ranks. Fewer than 4 numbers, different lengths, or a
    constant sequence raise ``ValueError``.

    Notes
    -----
    Spearman 1904; the interval: Bonett and Wright 2000.
    """
    x, y = _orders(x, y, least=4)
    n = len(x)
    z = _quantile(level)
    rho = float(np.corrcoef(_mean_ranks(x), _mean_ranks(y))[0, 1])
    if abs(rho) > 1 - 1e-15:  # a perfect order may lose its last bit
        rho = math.copysign(1.0, rho)
        return Interval(rho, rho, rho, n)
    reach = z * math.sqrt((1 + rho**2 / 2) / (n - 3))
    low, high = (math.tanh(math.atanh(rho) + side * reach) for side in (-1, 1))
    return Interval(rho, low, high, n)


def kendall(x: Values, y: Values) -> float:
    r"""How well two orderings agree: Kendall's :math:`\tau_b`.

    .. math:: \tau_b = \frac{\sum_{i<j} \operatorname{sgn}(x_i - x_j)
                                         \operatorname{sgn}(y_i - y_j)}
              {\sqrt{\#\{i<j : x_i \ne x_j\} \; \#\{i<j : y_i \ne y_j\}}}

    It ranges from -1, the reverse order, to 1, the same order. Errors are as for :func:`spearman`,
    but 2 numbers are enough.

    Notes
    -----
    Kendall 1945.
    """
    signs = [np.sign(column[:, None] - column) for column in _orders(x, y, least=2)]
    # Each pair is counted twice, above and below the diagonal.
    agreeing = (signs[0] * signs[1]).sum()
    return float(agreeing / math.sqrt(np.abs(signs[0]).sum() * np.abs(signs[1]).sum()))


def _orders(x: Values, y: Values, *, least: int) -> list[np.ndarray]:
    """Both as float64; raises ``ValueError`` unless equally long, finite and not constant."""
    columns = {"x": _column("x", x).astype(float), "y": _column("y", y).astype(float)}
    n = len(columns["x"])
    if columns["x"].shape != (n,) or columns["y"].shape != (n,) or n < least:
        raise ValueError(
            f"x and y must be rows of one length, at least {least}, "
            f"got {columns['x'].shape} and {columns['y'].shape}"
        )
    for name, column in columns.items():
        if not np.isfinite(column).all():
            raise ValueError(
                f"{name} must be finite numbers, got {column[~np.isfinite(column)][0]}"
            )
        if (column == column[0]).all():
            raise ValueError(f"{name} must have an order, got {column[0]} throughout")
    return list(columns.values())


def _mean_ranks(column: np.ndarray) -> np.ndarray:
    """Each number's rank from 1; equal numbers share the mean of theirs."""
    _, which, counts = np.unique(column, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[which]


def _quantile(level: float) -> float:
    """The distance of an interval's ends from its middle, in standard deviations."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    return NormalDist().inv_cdf((1 + level) / 2)


def _student_quantile(level: float, degrees: int) -> float:
    """As :func:`_quantile`, for Student's distribution with ``degrees`` degrees of freedom.

    With ``t = sqrt(degrees) tan(u)`` the density becomes ``cos(u) ** (degrees - 1)``, which is
    summed from the middle outwards.
    """
    _quantile(level)  # rejects invalid levels
    u = np.linspace(0, math.pi / 2, 200_001)
    density = np.cos(u) ** (degrees - 1)
    share = np.concatenate([[0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(degrees) * math.tan(float(np.interp(level, share / share[-1], u)))


def _column(name: str, values: Values) -> np.ndarray:
    values = values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
    if not values.size:
        raise ValueError(f"{name} must have at least one value, got none")
    return values
