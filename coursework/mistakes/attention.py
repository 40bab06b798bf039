"""Wrong ways to compute attention and its masks that learners are known to take, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.later import later

Pair = tuple[Tensor | None, Tensor | None]


@later
def attention_mistakes(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    *,
    scaled: bool = True,
    d_model: int | None = None,
) -> dict[str, Pair]:
    r"""What known mistakes make of :math:`\operatorname{softmax}(QK^\top/\sqrt{d_k})V`.

    Parameters
    ----------
    q, k, v:
        Queries ``(..., T, K)``, keys ``(..., S, K)``, values ``(..., S, Dv)``.
    mask:
        Boolean, broadcasts to ``(..., T, S)``, ``True`` = may be attended to; or ``None``.
    scaled:
        Whether the scores were to be divided by :math:`\sqrt{d_k}`.
    d_model:
        Width of the tokens that queries, keys and values were made of, where they were.

    Returns
    -------
    mistakes
        Message → ``(output, weights)``; ``None`` where that part is as it should be.
    """
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scaled else 1.0)
    found = {
        message: _pair(_softmax(q @ k.mT * factor, mask), v)
        for message, factor in _wrong_factors(q, k, v, scaled).items()
    }
    if d_model is not None:
        found[
            f"Your scores are divided by √{d_model}: {d_model} is d_model, the width of a token. "
            "d_k is the width of a key."
        ] = _pair(_softmax(q @ k.mT * d_model**-0.5, mask), v)
    if scaled:
        found[
            "You divide by √d_k after the softmax: the weights of a query no longer sum to 1. "
            "Scale the scores, then take the softmax."
        ] = _pair(_softmax(q @ k.mT, mask) * q.shape[-1] ** -0.5, v)
    found |= _of_axes(scores, v, mask)
    if mask is not None:
        found |= _of_masking(scores, v, mask)
    return found | _of_values(scores, q, k, v, mask)


@later
def output_mistakes(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, scaled: bool = True
) -> dict[str, Tensor]:
    """The same where only the output is asked for: message → output."""
    found = attention_mistakes(q, k, v, mask, scaled=scaled)
    return {message: output for message, (output, _) in found.items() if output is not None}


@later
def score_mistakes(q: Tensor, k: Tensor) -> dict[str, Tensor]:
    r"""What known mistakes make of the scores :math:`QK^\top/\sqrt{d_k}`: message → scores."""
    scores = q @ k.mT * q.shape[-1] ** -0.5
    return {
        **{message: q @ k.mT * c for message, c in _wrong_factors(q, k, None, True).items()},
        "Your scores have been through a softmax. Return the scores themselves.": (
            scores.softmax(-1)
        ),
        "Row i of the scores belongs to query i, column j to key j: yours are transposed.": (
            scores.mT
        ),
    }


@later
def causal_mistakes(T: int) -> dict[str, Tensor]:
    """What known mistakes make of the causal mask ``(T, T)``: message → mask."""
    i, j = torch.arange(T)[:, None], torch.arange(T)[None, :]
    return {
        "Your mask is True where a key is hidden. Here True = may be attended to.": j > i,
        "Your mask lets each position see the next one: key i + 1 leaks. Look at the diagonal: "
        "j ≤ i.": j <= i + 1,
        "Your mask hides each position from itself, and position 0 may attend to nothing. "
        "Position i attends to itself too: j ≤ i.": j < i,
        "Your mask lets a position see what comes after it, and hides what came before: rows are "
        "queries, columns are keys.": j >= i,
        "Your mask hides nothing.": torch.ones(T, T, dtype=torch.bool),
    }


@later
def padding_mistakes(lengths: Tensor, S: int) -> dict[str, Tensor]:
    """What known mistakes make of the padding mask ``(B, 1, S)``: message → mask."""
    place, length = torch.arange(S), lengths[:, None, None]
    real = place < length
    return {
        "Your mask is True on the padding. Here True = may be attended to: the real tokens.": ~real,
        "Your mask allows one position too many: n tokens fill positions 0 to n - 1.": (
            place <= length
        ),
        "Your mask allows one position too few: n tokens fill positions 0 to n - 1.": (
            place < length - 1
        ),
        "Your mask puts the padding first. The real tokens come first.": (place >= S - length),
        "Your mask has shape (B, S). Against scores (B, T, S) its batch axis would meet the "
        "queries: give it an axis for the queries, (B, 1, S).": real[:, 0, :],
    }


@later
def decoder_mistakes(lengths: Tensor, T: int) -> dict[str, Tensor]:
    """What known mistakes make of causal and padding mask together ``(B, T, T)``."""
    place = torch.arange(T)
    causal = place[None, :] <= place[:, None]
    real = (place < lengths[:, None])[:, None, :]
    both = causal & real
    return {
        "Your mask allows what either of the two masks allows. A key must be allowed by both: "
        "not later, and no padding.": causal | real,
        "Your mask is the causal one alone: the padding may still be attended to.": (
            causal.expand_as(both)
        ),
        "Your mask is the padding mask alone: later tokens may still be attended to.": (
            real.expand_as(both)
        ),
        "Your mask empties the rows of the queries that are padding. The lengths say which keys, "
        "the columns, are hidden.": both & real.mT,
        "Your mask is the wrong way round: True = may be attended to.": ~both,
    }


def _softmax(scores: Tensor, mask: Tensor | None, dim: int = -1) -> Tensor:
    if mask is None:
        return scores.softmax(dim)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim).masked_fill(~mask, 0.0)


def _pair(weights: Tensor, v: Tensor) -> Pair:
    return weights @ v, weights


def _wrong_factors(q: Tensor, k: Tensor, v: Tensor | None, scaled: bool) -> dict[str, float]:
    """Message → what the dot products were multiplied by."""
    width, keys = q.shape[-1], k.shape[-2]
    if not scaled:
        return {
            "Your scores are divided by √d_k. Here they are not divided by anything yet: that "
            "comes in the exercise on scaling.": width**-0.5
        }
    factors = {
        f"Your scores are not scaled: divide them by √d_k = √{width}.": 1.0,
        f"Your scores are divided by d_k = {width}: divide by its square root, √{width}.": (
            1 / width
        ),
        f"Your scores are multiplied by √d_k = √{width}: divide by it instead.": width**0.5,
        f"Your scores are divided by √{keys}: {keys} is the number of keys. d_k is the width of a "
        "key.": keys**-0.5,
    }
    if v is not None:
        values = v.shape[-1]
        factors[
            f"Your scores are divided by √{values}: {values} is d_v, the width of a value. d_k is "
            "the width of a key."
        ] = values**-0.5
    # If two sizes coincide, a wrong factor may be the right one.
    return {message: factor for message, factor in factors.items() if factor != width**-0.5}


def _of_axes(scores: Tensor, v: Tensor, mask: Tensor | None) -> dict[str, Pair]:
    found = {
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?": _pair(_softmax(scores, mask, dim=-2), v)
    }
    for dim in range(scores.ndim - 2):
        found[
            f"Your weights sum to 1 over axis {dim} of {scores.ndim}, not over the keys. The keys "
            "are the last axis, however many come before it: count from the end, dim=-1."
        ] = _pair(_softmax(scores, mask, dim=dim), v)
    found["Your weights sum to 1 over all scores together. Each query needs its own softmax."] = (
        _pair(scores.flatten(-2).softmax(-1).view_as(scores), v)
    )
    if scores.shape[-1] == scores.shape[-2]:
        weights = _softmax(scores, mask)
        found[
            "Queries and keys are swapped: row i of the scores belongs to query i, so it is "
            "Q Kᵀ and not K Qᵀ."
        ] = _pair(_softmax(scores.mT, mask), v)
        found[
            "You transpose the weights before you multiply by the values: output i is the sum over "
            "j of weight[i, j] times value j, so it is A' V and not A'ᵀ V."
        ] = (weights.mT @ v, None)
    return found


def _of_values(
    scores: Tensor, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None
) -> dict[str, Pair]:
    weights = _softmax(scores, mask)
    exponentials = scores.exp() if mask is None else scores.exp() * mask
    shape = (*scores.shape[:-1], v.shape[-1])
    found: dict[str, Pair] = {
        "The softmax is missing: the scores themselves multiply the values.": _pair(scores, v),
        "Your weights are exp(score), not divided by their sum over the keys.": (
            _pair(exponentials, v)
        ),
        "Your output is the weights themselves. Apply them to the values: A' V.": ((weights, None)),
        "The weights are not applied to the values: your output is the plain mean of V.": (
            (v.mean(-2, keepdim=True).expand(shape), None)
        ),
        "The weights are not applied to the values: your output is their plain sum.": (
            (v.sum(-2, keepdim=True).expand(shape), None)
        ),
        "You return the scores, before the softmax, as the weights.": (None, scores),
        "The last key is left out: the loop over the keys ends one too early.": (
            _pair(_softmax(scores[..., :-1], None), v[..., :-1, :])[0],
            None,
        ),
    }
    if k.shape == v.shape:
        found["Your weights average the keys. They should average the values."] = (
            weights @ k,
            None,
        )
    if q.shape[-2] == k.shape[-2]:
        found["The weights are not applied to the values: your output is V itself."] = (
            v.expand(shape),
            None,
        )
    return found


def _of_masking(scores: Tensor, v: Tensor, mask: Tensor) -> dict[str, Pair]:
    found = {
        "Hidden keys get the weight that they would get without a mask.": (scores.softmax(-1)),
        "The mask is the wrong way round: True = may be attended to, and you hide those.": (
            _softmax(scores, ~mask)
        ),
        "The mask comes after the softmax, so the weights that are left no longer sum to 1. Hide "
        "the scores before the softmax: then the remaining weights sum to 1.": (
            scores.softmax(-1) * mask
        ),
        "The mask is added as 0 and 1: that raises the allowed scores by 1 and hides nothing. A "
        "hidden score must become -∞, so that exp(score) is 0.": (scores + mask).softmax(-1),
        "A query that may attend to nothing spreads its weight evenly over keys that it may not "
        "see. Its weights, and so its output, must be zeros.": (
            scores.masked_fill(~mask, -1e9).softmax(-1)
        ),
        "Hidden scores become 0, or nearly so, and exp(0) = 1 is not a small weight: they must "
        "become -∞. (The mask does not multiply the scores, and -1e-9 is not -1e9.)": (
            (scores * mask).softmax(-1)
        ),
    }
    pairs = {message: _pair(weights, v) for message, weights in found.items()}
    seen = mask.any(-2).unsqueeze(-1)  # by any query
    pairs[
        "You set the values of hidden keys to zero, but the keys still take their share of the "
        "weight. Mask the scores, before the softmax."
    ] = (scores.softmax(-1) @ v.masked_fill(~seen, 0.0), scores.softmax(-1))
    return pairs
