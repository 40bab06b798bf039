"""Wrong ways to pool the words of documents that learners are known to take, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.later import later

Pair = tuple[Tensor | None, Tensor | None]


@later
def look_up_mistakes(q: Tensor, K: Tensor, V: Tensor, tau: float) -> dict[str, Pair]:
    r"""What known mistakes make of :math:`\operatorname{softmax}(Kq/\tau)\,V`.

    Parameters
    ----------
    q, K, V:
        The query ``(D,)``, keys ``(S, D)`` and values ``(S, Dv)``.
    tau:
        The temperature.

    Returns
    -------
    mistakes
        Message → ``(output, weights)``; ``None`` where that part is as it should be.
    """
    r = K @ q
    found: dict[str, Pair] = {}
    if tau != 1:
        found = {
            "Your scores are multiplied by τ. Divide by it: a small τ makes the look-up sharp.": (
                _read((r * tau).softmax(0), V)
            ),
            "Your weights do not depend on τ. Divide the scores by it before the softmax.": _read(
                r.softmax(0), V
            ),
            "You divide by τ after the softmax: the weights no longer sum to 1. Divide the scores, "
            "then take the softmax.": _read(r.softmax(0) / tau, V),
            "You divide by τ twice, both the query and the keys. Divide each score once.": _read(
                (r / tau**2).softmax(0), V
            ),
        }
    if len(q) > 1:
        found["Your scores are divided by √D as well. Here you divide by τ alone."] = _read(
            (r / tau / len(q) ** 0.5).softmax(0), V
        )
    found |= {
        "The softmax is missing: the scores themselves multiply the values.": _read(r / tau, V),
        "Your weights are exp(score), not divided by their sum over the keys.": _read(
            (r / tau).exp(), V
        ),
        "You return the scores, before the softmax, as the weights.": (None, r / tau),
        "The weights are not applied to the values: your output is their plain mean.": (
            V.mean(0),
            None,
        ),
    }
    if K.shape == V.shape:
        found["Your weights average the keys. They should average the values."] = (
            (r / tau).softmax(0) @ K,
            None,
        )
    return found


@later
def hard_mistakes(q: Tensor, K: Tensor, V: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the hard look-up: message → value."""
    r = K @ q
    best = (r == r.max()).nonzero()[:, 0]
    found = {
        "You take the value of the key with the smallest score. Take the largest.": V[r.argmin()],
        "You return a key. Return the value that goes with it.": K[best].mean(0),
        "You take the longest key, whatever the query is.": V[K.norm(dim=1).argmax()],
    }
    if len(best) > 1:
        alike = "Several keys have the largest score. "
        found |= {
            alike + "You take the first of them. A soft look-up gives equal scores equal "
            "weights at any temperature.": V[best[0]],
            alike + "You take the last of them. A soft look-up gives equal scores equal weights "
            "at any temperature.": V[best[-1]],
            alike + "You add their values. The weights of a look-up sum to 1, so take their "
            "mean.": V[best].sum(0),
        }
    return found


@later
def pooling_mistakes(x: Tensor, mask: Tensor, v: Tensor) -> dict[str, Pair]:
    r"""What known mistakes make of :math:`o = \sum_j a_j x_j, a = \operatorname{softmax}(v x_j)`.

    Parameters
    ----------
    x, mask, v:
        Words ``(B, S, D)``, ``True`` where one stands ``(B, S)``, and the query ``(D,)``.

    Returns
    -------
    mistakes
        Message → ``(pooled, weights)``; ``None`` where that part is as it should be.
    """
    r = x @ v
    a = masked_softmax(r, mask)
    real = mask.to(x.dtype)
    found: dict[str, Pair] = {
        message: weighted_sum(weights, x)
        for message, weights in {
            **_of_masking(r, mask),
            "Your weights sum to 1 over the documents of the batch, not over the words of each: "
            "which axis does your softmax run over?": masked_softmax(r, mask, dim=0),
            "Your weights sum to 1 over the whole batch. Each document has its own softmax.": (
                masked_softmax(r.flatten(), mask.flatten(), dim=0).view_as(r)
            ),
            "The softmax is missing: your weights are the scores.": r * real,
            "Your code gives all words the same weight and does not use the query.": real
            / real.sum(1, keepdim=True).clamp(min=1),
            "You keep only the word with the largest weight. The others have their share, too.": (
                torch.zeros_like(a).scatter(1, a.argmax(1, keepdim=True), 1.0) * real
            ),
        }.items()
    }
    found |= {
        "The weights are not applied: your vector is the mean over all positions, including "
        "padding.": (
            x.mean(1),
            None,
        ),
        "You divide the weighted sum by the number of words as well: the weights already sum to "
        "1.": (weighted_sum(a, x)[0] / real.sum(1, keepdim=True).clamp(min=1), None),
        "You return the scores, before the softmax, as the weights.": (None, r),
    }
    return found


@later
def query_mistakes(x: Tensor, mask: Tensor, W: Tensor, b: Tensor, v: Tensor) -> dict[str, Pair]:
    """What known mistakes make of pooling by several queries over transformed words.

    Parameters
    ----------
    x, mask:
        Words ``(B, S, D)``, and ``True`` where one stands ``(B, S)``.
    W, b, v:
        ``(D, H)``, ``(H,)`` and a query in each row of ``(Q, H)``.

    Returns
    -------
    mistakes
        Message → ``(pooled, weights)``, ``(B, Q, D)`` and ``(B, Q, S)``.
    """
    met = torch.tanh(x @ W + b)
    r, real = v @ met.mT, mask[:, None]
    a = masked_softmax(r, real)
    weights = {
        "Your weights sum to 1 over the queries, not over the words: which axis does your softmax "
        "run over?": masked_softmax(r, real, dim=1),
        "Your weights sum to 1 over the documents of the batch, not over the words: which axis "
        "does your softmax run over?": masked_softmax(r, real, dim=0),
        "The tanh is missing from your scores. It comes between the linear map and the query.": (
            masked_softmax(v @ (x @ W + b).mT, real)
        ),
        "The bias b has no effect on your weights. It belongs inside the tanh, with the linear "
        "map: if it is left out, or added after the tanh, it raises all scores of a query "
        "alike.": masked_softmax(v @ torch.tanh(x @ W).mT, real),
        "You use relu instead of tanh.": masked_softmax(v @ (x @ W + b).relu().mT, real),
        **_of_masking(r, real),
        "Your code gives all queries the same weights. Each query has scores of its own.": (
            masked_softmax(v.mean(0, keepdim=True) @ met.mT, real).expand_as(a)
        ),
    }
    found: dict[str, Pair] = {message: (wrong @ x, wrong) for message, wrong in weights.items()}
    if len(x) == len(v):
        found[
            "The mask of document k hides words from query k of every document: (B, S) was read "
            "as (queries, S). Give it an axis for the queries, mask[:, None, :]."
        ] = (masked_softmax(r, mask) @ x, masked_softmax(r, mask))
    if W.shape[0] == W.shape[1]:
        found |= {
            "Your weights average the transformed words tanh(x W + b). These only decide the "
            "scores: average the words themselves.": (a @ met, None),
            "You multiply the words by Wᵀ. Words are rows, so it is x W.": _read(
                masked_softmax(v @ torch.tanh(x @ W.mT + b).mT, real), x
            ),
        }
    return found


def masked_softmax(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Where the mask is true a softmax, elsewhere 0; zeros where it is true nowhere."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim).masked_fill(~mask, 0.0)


def _of_masking(r: Tensor, mask: Tensor) -> dict[str, Tensor]:
    """Message → weights."""
    plain = r.softmax(-1)
    return {
        "A document without words spreads its weight over padding. Its weights, and so its "
        "vector, must be zeros.": r.masked_fill(~mask, -1e9).softmax(-1),
        "Padding gets the weight that it would get without a mask.": plain,
        "The mask is the wrong way round: True = there is a word here, and you hide those.": (
            masked_softmax(r, ~mask)
        ),
        "The mask comes after the softmax, so the weights that are left no longer sum to 1. "
        "Mask the padding's scores before the softmax.": plain * mask,
        "The mask multiplies the scores: those of the padding become 0, and exp(0) = 1 is not a "
        "small weight. They must become -∞.": (r * mask).softmax(-1),
        "The mask is added as 0 and 1: that raises the words' scores by 1 and hides nothing. A "
        "hidden score must become -∞, so that exp(score) is 0.": (r + mask).softmax(-1),
    }


def _read(weights: Tensor, V: Tensor) -> tuple[Tensor, Tensor]:
    return weights @ V, weights


def weighted_sum(weights: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """The documents ``(B, D)`` of words ``(B, S, D)`` under these weights, and the weights."""
    return (weights[..., None] * x).sum(1), weights
