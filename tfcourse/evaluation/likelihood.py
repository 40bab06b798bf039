"""How surprised a language model is by a text: perplexity per token, word and byte."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, check_tensors
from tfcourse.modes import in_mode


def perplexity(nll: float, count: int) -> float:
    r"""The number of equally likely choices that would leave the model as uncertain.

    .. math:: \operatorname{PPL} = \exp\Big(-\frac1N \sum_t \ln p(x_t \mid x_{<t})\Big)

    ``nll`` is the sum of the negative log-probabilities, in nats, and ``count`` the number N of
    tokens, words or bytes. The result is infinite if it exceeds the range of a float. A negative
    ``nll`` or a ``count`` below 1 raises ``ValueError``.

    Notes
    -----
    Jelinek et al. 1977; 224N section 1.1.
    """
    _check(nll, count)
    try:
        return math.exp(nll / count)
    except OverflowError:
        return math.inf


def bits(nll: float, count: int) -> float:
    r"""Bits per token, word or byte: :math:`\text{nll} / (N \ln 2)`, the logarithm of perplexity.

    Arguments and errors are those of :func:`perplexity`.
    """
    _check(nll, count)
    return nll / count / math.log(2)


@dataclass(frozen=True)
class Likelihood:
    """How likely a text was under a model, and how long it is in different units.

    Perplexities per token are comparable only between models with the same tokens. Per word and per
    byte they are comparable between all models: the text is the same.

    Attributes
    ----------
    nll:
        Sum of the negative log-probabilities, in nats.
    tokens, words, bytes:
        How many were predicted; the other two once :meth:`of` has been called. Before that, any
        value per word or per byte raises ``ValueError``.
    """

    nll: float
    tokens: int
    words: int | None = None
    bytes: int | None = None

    def of(self, text: str) -> Likelihood:
        """A copy that knows the lengths of the text that was predicted.

        Words are separated by white space, and bytes are those of UTF-8.
        """
        return replace(self, words=len(text.split()), bytes=len(text.encode()))

    @property
    def per_token(self) -> float:
        """Perplexity per token."""
        return perplexity(self.nll, self.tokens)

    @property
    def per_word(self) -> float:
        """Perplexity per word."""
        return perplexity(self.nll, self._told("words"))

    @property
    def per_byte(self) -> float:
        """Perplexity per byte."""
        return perplexity(self.nll, self._told("bytes"))

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte."""
        return bits(self.nll, self._told("bytes"))

    @property
    def loss(self) -> float:
        """Nats per token, which is what training minimises."""
        return self.nll / self.tokens

    def _told(self, unit: str) -> int:
        count = getattr(self, unit)
        if count is None:
            raise ValueError(f"{unit} must be known for this: call `.of(text)` first")
        return count


@torch.no_grad()
def language_model_nll(
    model: nn.Module,
    ids: Int[Tensor, " N"],
    window: int,
    stride: int | None = None,
    *,
    batch: int = 16,
) -> Likelihood:
    """How likely a long text is under a model that reads at most ``window`` tokens at once.

    Each token but the first is predicted exactly once. Windows begin ``stride`` tokens apart
    (default ``window``), and tokens that an earlier window has predicted are not counted again: so
    every prediction after the first window has at least ``window - stride`` tokens of context.
    ``stride=window`` is fastest and makes the model look worst; ``stride=1`` is slowest and exact.

    ``model(tokens (B, T)).logits`` are ``(B, T, V)``, and ``batch`` windows are read at once. Fewer
    than two tokens, or invalid sizes, raise ``ValueError``.
    """
    stride = window if stride is None else stride
    at_least_one(window=window, stride=stride, batch=batch)
    if stride > window:
        raise ValueError(f"stride must be at most window={window}, got {stride}")
    check_tensors(ids=ids)
    if ids.dim() != 1 or len(ids) < 2:
        raise ValueError(f"ids must be a row of at least 2 tokens, got {tuple(ids.shape)}")
    device = next((p.device for p in model.parameters()), ids.device)
    ids = ids.to(device)
    total = 0.0
    with in_mode(model, train=False):
        for starts, length, skip in _windows(len(ids) - 1, window, stride, batch):
            rows = torch.stack([ids[s : s + length + 1] for s in starts])  # (B, T + 1)
            logits = model(rows[:, :-1]).logits[:, skip:].flatten(0, 1)
            nll = F.cross_entropy(
                logits.float() if logits.dtype.itemsize < 4 else logits,
                rows[:, 1 + skip :].flatten(),
                reduction="none",
            )
            total += float(nll.double().sum())
    return Likelihood(total, len(ids) - 1)


def _windows(n: int, window: int, stride: int, batch: int) -> list[tuple[list[int], int, int]]:
    """For each group of windows: their starts, length, and how many predictions not to count."""
    first = min(window, n)
    groups = [([0], first, 0)]
    whole = list(range(stride, n - window + 1, stride))  # those that end within the text
    groups += [(whole[i : i + batch], window, window - stride) for i in range(0, len(whole), batch)]
    done = first + stride * len(whole)
    if done < n:
        start = stride * (len(whole) + 1)
        groups.append(([start], n - start, done - start))
    return groups


def _check(nll: float, count: int) -> None:
    if not count >= 1:
        raise ValueError(f"count must be at least 1, got {count}")
    if not nll >= 0:
        raise ValueError(f"nll must be a sum of at least 0, got {nll}")
