"""Evaluation: how good a trained model is, and how certain that is."""

from tfcourse.evaluation.intervals import (
    Interval,
    accuracy,
    bootstrap,
    exact_match,
    kendall,
    spearman,
    student,
    wilson,
)
from tfcourse.evaluation.likelihood import (
    Likelihood,
    bits,
    language_model_nll,
    perplexity,
)
from tfcourse.evaluation.reliability import Calibration, calibration
from tfcourse.evaluation.translation import Score, bleu, chrf

__all__ = [
    "Calibration",
    "Interval",
    "Likelihood",
    "Score",
    "accuracy",
    "bits",
    "bleu",
    "bootstrap",
    "calibration",
    "chrf",
    "exact_match",
    "kendall",
    "language_model_nll",
    "perplexity",
    "spearman",
    "student",
    "wilson",
]
