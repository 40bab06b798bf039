"""Calibration: whether predictions made with 80 % confidence are right 80 % of the time."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one


@dataclass(frozen=True)
class Calibration:
    """How confident a classifier is, and how often it is right.

    Attributes
    ----------
    error, brier:
        Expected calibration error, and Brier score: 0 is best, 2 is worst.
    confidence, accuracy, count:
        Means over each bin, ``(bins,)``, NaN if it is empty, and its number of examples. One mean
        plotted against the other is the reliability diagram.
    """

    error: float
    brier: float
    confidence: Tensor
    accuracy: Tensor
    count: Tensor


def calibration(
    probabilities: Float[Tensor, "N C"], right: Int[Tensor, " N"], bins: int = 15
) -> Calibration:
    r"""Group predictions by confidence, and count how many in each group are right.

    .. math:: \operatorname{ECE} = \sum_b \frac{n_b}{N}\,
              |\operatorname{acc}_b - \operatorname{conf}_b|, \qquad
              \operatorname{Brier} = \frac1N \sum_i \sum_c (p_{ic} - [y_i = c])^2

    ``probabilities`` are those after the softmax, and ``right`` the correct classes. The ``bins``
    are of equal width from 0 to 1, each including its upper end; the confidence of a prediction is
    its largest probability. Rows that are not distributions, and classes outside ``C``, raise
    ``ValueError``.

    Notes
    -----
    Guo et al. 2017, equations (2) and (3); Brier 1950.
    """
    at_least_one(bins=bins)
    if probabilities.dim() != 2 or not probabilities.numel():
        raise ValueError(
            f"probabilities must be (N, C), with at least one row, got {tuple(probabilities.shape)}"
        )
    N, C = probabilities.shape
    if right.shape != (N,):
        raise ValueError(f"right must be ({N},), one for each row, got {tuple(right.shape)}")
    p = probabilities.detach().cpu().double()
    right = right.detach().cpu().long()
    sums = p.sum(dim=1)
    if not bool((p >= 0).all()) or not bool((sums - 1).abs().max() < 1e-3):
        raise ValueError(
            "probabilities must be at least 0 and sum to 1 in each row, "
            f"got sums of {float(sums.min()):.4g} to {float(sums.max()):.4g} and a smallest of "
            f"{float(p.min()):.4g}: are these logits?"
        )
    if right.min() < 0 or right.max() >= C:
        raise ValueError(
            f"right must lie between 0 and {C - 1}, got {int(right.min())} to {int(right.max())}"
        )
    confidence, predicted = p.max(dim=1)
    correct = (predicted == right).double()
    inner = torch.linspace(0, 1, bins + 1, dtype=torch.double)[1:-1]
    place = torch.bucketize(confidence, inner)  # bin b is (b / bins, (b + 1) / bins]
    count = torch.bincount(place, minlength=bins)
    sure = torch.bincount(place, confidence, minlength=bins)
    hits = torch.bincount(place, correct, minlength=bins)
    brier = (p - F.one_hot(right, C)).square().sum(dim=1).mean()
    # A bin's fraction times the difference of its means is the difference of its sums over N.
    error = (hits - sure).abs().sum() / N
    return Calibration(float(error), float(brier), sure / count, hits / count, count)
