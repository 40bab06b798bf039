"""Losses: the mean loss of a model on a batch, and the number of tokens it averages.

A loss for :func:`~tfcourse.training.fit` is any ``loss(model, batch) -> (mean, count)``. The means
of several batches, accumulated or on several devices, are weighted by their counts, so a batch in
which nothing counts changes nothing; its mean must be finite, such as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tfcourse.arguments import check_probability
from tfcourse.training.batches import moved

#: How many logits are held in 32 bits at a time: 128 MiB.
CHUNK = 2**25

#: The mean over a batch, and the number of tokens it averages.
Loss = Callable[[nn.Module, Any], tuple[Tensor, Tensor | int]]


def label_smoothed_loss(
    logits: Float[Tensor, "... V"],
    targets: Int[Tensor, "..."],
    smoothing: float = 0.0,
    ignore: int | None = None,
) -> tuple[Float[Tensor, ""], Int[Tensor, ""]]:
    r"""Cross-entropy with targets that give every word a little probability.

    .. math:: L = -\sum_k q_k \log p_k, \qquad
              q_k = (1 - \epsilon)\,[k = y] + \frac{\epsilon}{V}, \qquad
              p = \softmax(\text{logits})

    Parameters
    ----------
    logits, targets:
        Scores ``(..., V)`` and the correct ids ``(...)``, from 0 to ``V - 1``.
    smoothing:
        :math:`\epsilon` in [0, 1), the fraction that is spread over all ``V``.
    ignore:
        An id whose positions do not count, such as the padding's.

    Returns
    -------
    mean, count
        In nats, over the positions that count, and their number; both 0 if there are none.

    Notes
    -----
    Szegedy et al. 2016 ("Rethinking the Inception Architecture"), section 7; Vaswani et al. 2017,
    section 5.4, with 0.1. Equal to ``F.cross_entropy(..., label_smoothing=smoothing)``. With more
    than :data:`CHUNK` logits, rows are scored a chunk at a time, and once more in the backward
    pass, so the log-probabilities of the whole batch are never held.
    """
    check_probability(smoothing=smoothing)
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"targets must be {tuple(logits.shape[:-1])}, one for each row of logits "
            f"{tuple(logits.shape)}, got {tuple(targets.shape)}"
        )
    counts = torch.ones_like(targets, dtype=torch.bool) if ignore is None else targets != ignore
    try:
        if logits.numel() <= CHUNK:
            total = _summed(logits, targets, counts, smoothing)
        else:
            rows = max(CHUNK // logits.shape[-1], 1)
            whole = logits.flatten(0, -2), targets.flatten(), counts.flatten()
            total = torch.stack(
                [
                    checkpoint(_summed, *chunk, smoothing, use_reentrant=False,
                               preserve_rng_state=False)
                    for chunk in zip(*(x.split(rows) for x in whole), strict=True)
                ]
            ).sum()  # fmt: skip
    except RuntimeError:  # on a GPU, CUDA fails with its own assertion instead
        _check_targets(targets, logits.shape[-1], ignore)
        raise
    count = counts.sum()
    return total / count.clamp(min=1), count


def _summed(
    logits: Float[Tensor, "... V"],
    targets: Int[Tensor, "..."],
    counts: Bool[Tensor, "..."],
    smoothing: float,
) -> Float[Tensor, ""]:
    """The loss in nats, summed over the positions that count."""
    log_p = F.log_softmax(logits.float() if logits.dtype.itemsize < 4 else logits, dim=-1)
    right = log_p.gather(-1, targets.where(counts, 0)[..., None]).squeeze(-1)  # log p_y
    loss = -(1 - smoothing) * right
    if smoothing:
        loss = loss - smoothing * log_p.mean(dim=-1)  # epsilon / V * sum_k log p_k
    return loss.where(counts, 0).sum()


def _check_targets(targets: Tensor, V: int, ignore: int | None) -> None:
    """Raise ``ValueError`` for targets that are not ids of the vocabulary."""
    if targets.is_floating_point():
        raise ValueError(f"targets must be integers, got {targets.dtype}")
    counted = targets if ignore is None else targets[targets != ignore]
    lowest, highest = int(counted.min()), int(counted.max())
    if lowest < 0 or highest >= V:
        hint = f"; ignore={lowest} leaves out the places that hold {lowest}" if lowest < 0 else ""
        raise ValueError(f"targets must lie between 0 and {V - 1}, got {lowest} to {highest}{hint}")


def mean_and_count(given: Any) -> tuple[Any, Any]:
    """The two values that a loss must return; raises ``ValueError`` for anything else."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        got = f"{type(given).__name__} {tuple(given.shape)}" if isinstance(given, Tensor) else given
        raise ValueError(
            f"loss must return (mean, count), the mean and the number of tokens in it, got {got}"
        )
    return tuple(given)


@dataclass(frozen=True)
class NextToken:
    """The loss of a language model on a batch ``(tokens (B, T), following (B, T))``.

    ``smoothing`` and ``ignore`` are as in :func:`label_smoothed_loss`.
    """

    smoothing: float = 0.0
    ignore: int | None = None

    def __call__(self, model: nn.Module, batch: Any) -> tuple[Tensor, Tensor]:
        """Mean over the following tokens, and their number."""
        tokens, following = batch
        return label_smoothed_loss(model(tokens).logits, following, self.smoothing, self.ignore)


@dataclass(frozen=True)
class Translation:
    """The loss of an encoder-decoder on ``(source (B, S), target (B, T), source_lengths (B,))``.

    The target begins with the start token and ends with the end token; the model reads all but its
    last token and predicts all but its first. ``padding`` is the id of padding in the target, which
    does not count; ``smoothing`` is as in :func:`label_smoothed_loss`.
    """

    padding: int | None = None
    smoothing: float = 0.0

    def __call__(self, model: nn.Module, batch: Any) -> tuple[Tensor, Tensor]:
        """Mean over the target's tokens, and their number."""
        source, target, source_lengths = batch
        logits = model(source, target[:, :-1], source_lengths).logits
        return label_smoothed_loss(logits, target[:, 1:], self.smoothing, self.padding)


@dataclass(frozen=True)
class Classification:
    """The loss of a classifier on a batch ``(*inputs, labels (B,))``.

    ``smoothing`` is as in :func:`label_smoothed_loss`.
    """

    smoothing: float = 0.0

    def __call__(self, model: nn.Module, batch: Any) -> tuple[Tensor, Tensor]:
        """Mean over the examples, and their number."""
        *inputs, labels = batch
        return label_smoothed_loss(model(*inputs).logits, labels, self.smoothing)


def mean_loss(loss: Loss, batches: Iterable[Any]) -> Callable[[nn.Module], float]:
    """A ``validate`` function for :func:`~tfcourse.training.fit`: the loss on held-out batches.

    ``validate(model)`` is the mean over all tokens. ``loss`` is as in training; without smoothing,
    its exponential is the perplexity. ``batches`` are iterated over once per call and moved to the
    model's device; raises ``ValueError`` if nothing counts in them, or they are exhausted.
    """

    @torch.no_grad()
    def validate(model: nn.Module) -> float:
        device = next(model.parameters()).device
        total = tokens = 0.0
        for batch in batches:
            mean, count = mean_and_count(loss(model, moved(batch, device)))
            if count:
                total += float(mean) * float(count)
                tokens += float(count)
        if not tokens:
            raise ValueError(
                "batches must be a collection that can be iterated over each time, with tokens "
                f"that count, got none from {type(batches).__name__}"
            )
        return total / tokens

    return validate
