"""Mistakes in computing attention with several heads, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.attention import Pair
from coursework.mistakes.later import later
from coursework.mistakes.scales import wrong_factors
from coursework.mistakes.telling import told_apart


@later
def split_mistakes(x: Tensor, heads: int) -> dict[str, Tensor]:
    """What known mistakes make of tokens ``(B, T, H·K)`` split to ``(B, H, T, K)``."""
    B, T, D = x.shape
    right = _split(x, heads)
    return {
        "Your heads mix tokens: you reshape (B, T, D) straight to (B, H, T, K). Split the last "
        "axis first, to (B, T, H, K), then swap the axes of tokens and heads.": x.reshape(
            B, heads, T, D // heads
        ),
        "Each of your heads takes every H-th column. Head ℓ takes K neighbouring columns, from "
        "ℓ·K on: in the last axis, the heads come first and the columns of a head second.": (
            x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)
        ),
        "You swap tokens and columns before the split, so a head takes its numbers from several "
        "tokens. Split the last axis first.": (x.mT.reshape(B, heads, T, D // heads)),
        "Your heads come after the tokens, (B, T, H, K). A matrix product treats all axes but "
        "the last two as batch axes, so the heads must come before the tokens.": (
            right.transpose(1, 2)
        ),
        "Your heads come before the batch, (H, B, T, K). The batch comes first: (B, H, T, K).": (
            right.transpose(0, 1)
        ),
        "Inside each head, tokens and columns are swapped, (B, H, K, T). Tokens are rows.": (
            right.mT
        ),
    }


@later
def merge_mistakes(x: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of heads ``(B, H, T, K)`` merged to ``(B, T, H·K)``."""
    B, H, T, K = x.shape
    found = {
        "Your tokens mix: you reshape (B, H, T, K) straight to (B, T, D). Swap the axes of "
        "heads and tokens first, then merge heads and columns into one axis.": x.reshape(
            B, T, H * K
        ),
        "Your heads are interleaved: column 0 of every head, then column 1 of every head. Put "
        "them side by side, all of head 0 first.": x.permute(0, 2, 3, 1).reshape(B, T, K * H),
        "You add the heads up. Put them side by side.": x.sum(1),
        "Your heads still have their own axis, (B, T, H, K). Merge the last two axes into one.": (
            x.transpose(1, 2)
        ),
        "Your heads are stacked as if they were further tokens. Put them side by side, in the "
        "columns.": x.flatten(1, 2),
    }
    if x.is_floating_point():
        found["You average the heads. Put them side by side."] = x.mean(1)
    return found


@later
def multi_head_mistakes(
    X: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor, heads: int
) -> dict[str, Pair]:
    r"""What known mistakes make of :math:`[\text{head}_1; \dots; \text{head}_H]\, W_O`.

    Parameters
    ----------
    X:
        Tokens ``(B, T, D)``.
    W_Q, W_K, W_V, W_O:
        ``(D, H·K)``, ``(D, H·K)``, ``(D, H·Dv)`` and ``(H·Dv, D)``.
    heads:
        ``H``.

    Returns
    -------
    mistakes
        Message → ``(output, weights)``.
    """
    B, T, D = X.shape
    projected = X @ W_Q, X @ W_K, X @ W_V
    q, k, v = (_split(each, heads) for each in projected)
    width = q.shape[-1]
    right = weights_of(q, k)
    looked = right @ v

    def pair(weights: Tensor, values: Tensor = v) -> tuple[Tensor, Tensor]:
        return _merge(weights @ values) @ W_O, weights

    sizes = {
        "d_model, the width of a token": D,
        "the number of heads": heads,
        "the width of all heads together": heads * width,
        "d_v, the width of a value": v.shape[-1],
        "the number of tokens": T,
    }
    found: dict[str, Pair] = {
        m: pair(weights) for m, weights in _wrong_weights(q, k, sizes).items()
    }
    found |= {
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q Kᵀ and "
        "not K Qᵀ.": pair(weights_of(k, q)),
        "You hide later tokens. There is no mask in this exercise: each token looks at all of "
        "them.": pair(_causal_weights(q, k)),
        "You return the mean of the heads' weights. Return the weights of each head, (B, H, T, "
        "T).": (None, right.mean(1)),
        "Your weights are (B, T, H, T). The heads come before the queries: (B, H, T, T).": (
            None,
            right.transpose(1, 2),
        ),
        "Your weights are (H, B, T, T). The batch comes first, (B, H, T, T): stack the heads along "
        "axis 1.": (None, right.transpose(0, 1)),
        "You return the scores, before the softmax, as the weights.": (
            None,
            scores_of(q, k),
        ),
        "Your heads share one softmax over all queries and keys. Give the heads their own axis "
        "before the scores.": _one_head(*projected, W_O, width),
        "W_O is not applied: you return the heads, side by side.": (_merge(looked), None),
        "You divide by the number of heads. Multiplying the heads, side by side, by W_O gives a "
        "sum over the heads, not their mean.": (_merge(looked) @ W_O / heads, None),
        "You add X to the output. The residual connection belongs to the block, chapter 8: here "
        "the output is (heads side by side) W_O alone.": (_merge(looked) @ W_O + X, None),
        "Your tokens mix when you join the heads. Swap the axes of heads and tokens before you "
        "put the heads side by side, so that each token has its own row.": (
            looked.reshape(B, T, -1) @ W_O,
            None,
        ),
        "Your heads are interleaved when you join them: column 0 of every head, then column 1 "
        "of every head. Put them side by side, all of head 0 first.": (
            _weave(looked) @ W_O,
            None,
        ),
    }
    first = "All your heads take the first head's {}: head ℓ has its own columns, from ℓ·K on."
    found |= {
        first.format(which): pair(weights_of(a, b), c) for which, a, b, c in _first_alone(q, k, v)
    }
    mixed = (
        "Your heads mix tokens: you reshape (B, T, H·K) straight to (B, H, T, K). Split the "
        "last axis first, to (B, T, H, K), then swap the axes."
    )
    straight = [each.reshape(B, heads, T, -1) for each in projected]
    weights = weights_of(*straight[:2])
    found[mixed] = pair(weights, straight[2])
    found[mixed + " You join them with the same mistake."] = (
        (weights @ straight[2]).reshape(B, T, -1) @ W_O,
        weights,
    )
    behind = [each.unflatten(-1, (heads, -1)) for each in projected]
    weights = weights_of(*behind[:2])
    found[
        "Your heads come after the tokens, (B, T, H, K), so the heads of one token attend to "
        "each other. Swap the axes of heads and tokens before the scores."
    ] = (weights @ behind[2]).flatten(2) @ W_O, weights
    side_by_side = (
        "Each of your heads takes every H-th column of the projections. Head ℓ takes K "
        "neighbouring columns, from ℓ·K on."
    )
    woven = [each.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2) for each in projected]
    weights = weights_of(*woven[:2])
    found[side_by_side] = pair(weights, woven[2])
    found[side_by_side + " You join them with the same mistake."] = (
        _weave(weights @ woven[2]) @ W_O,
        weights,
    )
    near = [
        each.unfold(-1, each.shape[-1] // heads, 1)[:, :, :heads].transpose(1, 2)
        for each in projected
    ]
    found["Your heads overlap: head ℓ begins at column ℓ. It should begin at column ℓ·K."] = pair(
        weights_of(*near[:2]), near[2]
    )
    if W_O.shape[0] == W_O.shape[1]:
        found[
            "You multiply the heads by W_Oᵀ. Tokens are rows, so it is (heads side by side) W_O."
        ] = (
            _merge(looked) @ W_O.mT,
            None,
        )
    return told_apart(found, pair(right))


@later
def cross_mistakes(
    X: Tensor, C: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor
) -> dict[str, Pair]:
    """What known mistakes make of cross-attention, summed over what each head adds.

    Parameters
    ----------
    X, C:
        Tokens that ask ``(B, T, D)``, and that are asked ``(B, S, E)``.
    W_Q, W_K, W_V, W_O:
        A matrix for each head: ``(H, D, K)``, ``(H, E, K)``, ``(H, E, Dv)`` and ``(H, Dv, D)``.

    Returns
    -------
    mistakes
        Message → ``(output, parts)``, ``(B, T, D)`` and ``(B, H, T, D)``.
    """
    q, k, v = X[:, None] @ W_Q, C[:, None] @ W_K, C[:, None] @ W_V
    H, D, width = W_Q.shape
    right = weights_of(q, k)

    def pair(weights: Tensor, values: Tensor = v, last: Tensor = W_O) -> tuple[Tensor, Tensor]:
        parts = weights @ values @ last
        return parts.sum(1), parts

    output, parts = pair(right)
    sizes = {
        "d_model, the width of a token of X": D,
        "the width of a token of C": C.shape[-1],
        "the number of heads": H,
        "the width of all heads together": H * width,
        "d_v, the width of a value": v.shape[-1],
        "the number of tokens of X": X.shape[1],
        "the number of tokens of C": C.shape[1],
    }
    found: dict[str, Pair] = {
        m: pair(weights) for m, weights in _wrong_weights(q, k, sizes).items()
    }
    found |= {
        "Your weights sum to 1 over the source words of all heads together. Each head has its "
        "own softmax.": pair(
            scores_of(q, k)
            .transpose(1, 2)
            .flatten(2)
            .softmax(-1)
            .unflatten(-1, (H, -1))
            .transpose(1, 2)
        ),
        "You multiply all heads by the first head's part of W_O. Head ℓ has its own rows of "
        "W_O.": pair(right, last=W_O[:1]),
        "You add up the heads before W_O. Multiply each by its own block of W_O first, then add.": (
            (right @ v).sum(1) @ W_O.sum(0),
            None,
        ),
        "You average what the heads add. Heads side by side times W_O is their sum.": (
            parts.mean(1),
            None,
        ),
        "Your output is only what the first head adds. Sum over all heads.": (parts[:, 0], None),
        "Your output is only what the last head adds. Sum over all heads.": (
            parts[:, -1],
            None,
        ),
        "You add X to the output. The residual connection belongs to the block, chapter 8: here "
        "the output is what the heads add.": (output + X, None),
        "Your parts are the heads before W_O. A part is what the head adds to the output.": (
            None,
            right @ v,
        ),
        "Your parts and your output lack W_O. A part is what the head adds to the output, head "
        "· W_O.": ((right @ v).sum(1), right @ v),
        "You return the weights as the parts.": (None, right),
        "Your parts are equal shares of one sum. A part is what this head alone adds.": (
            None,
            parts.mean(1, keepdim=True).expand_as(parts),
        ),
        "Your parts are running sums: part ℓ includes the heads before ℓ. A part is what this "
        "head alone adds.": (None, parts.cumsum(1)),
        "Your parts are (B, T, H, D). The heads come before the tokens: (B, H, T, D).": (
            None,
            parts.transpose(1, 2),
        ),
        "Your parts are (H, B, T, D). The batch comes first, (B, H, T, D): stack the heads along "
        "axis 1.": (None, parts.transpose(0, 1)),
    }
    first = "All your heads take the first head's {}: head ℓ has a matrix of its own."
    found |= {
        first.format(which): pair(weights_of(a, b), c) for which, a, b, c in _first_alone(q, k, v)
    }
    if X.shape[-1] == C.shape[-1]:
        own_k, own_v = X[:, None] @ W_K, X[:, None] @ W_V
        turned = weights_of(C[:, None] @ W_Q, own_k)
        found["The source is not used: your keys and values come from X, as in self-attention."] = (
            pair(weights_of(q, own_k), own_v)
        )
        exchanged = (
            "The roles are swapped: queries come from the decoder's tokens X, keys and values "
            "from C."
        )
        found[exchanged] = pair(turned, own_v)
        if X.shape[1] == C.shape[1]:
            found[exchanged + " (Your values do.)"] = pair(turned)
            found["Your values come from X. They must come from the source C."] = pair(right, own_v)
            found["Your keys come from X. They must come from the source C."] = pair(
                weights_of(q, own_k)
            )
    return told_apart(found, (output, parts))


def scores_of(q: Tensor, k: Tensor) -> Tensor:
    """Scaled products of every query with the keys."""
    return q @ k.mT * q.shape[-1] ** -0.5


def weights_of(q: Tensor, k: Tensor) -> Tensor:
    """Scaled weights of every query over the keys, without a mask."""
    return scores_of(q, k).softmax(-1)


def _wrong_weights(q: Tensor, k: Tensor, sizes: dict[str, int]) -> dict[str, Tensor]:
    """Message → weights ``(B, H, T, S)``, by what is wrong with the scale or the softmax."""
    scores = scores_of(q, k)
    found = {
        message: (q @ k.mT * factor).softmax(-1)
        for message, factor in wrong_factors(q.shape[-1], sizes).items()
    }
    return found | {
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?": scores.softmax(-2),
        "Your weights sum to 1 over the heads, not over the keys. Each head has its own "
        "softmax, over the last axis: dim=-1.": scores.softmax(1),
        "Your weights sum to 1 over the sequences of the batch, not over the keys. Each "
        "sequence has its own softmax, over the last axis: dim=-1.": scores.softmax(0),
        "Your weights are exp(score), not divided by their sum over the keys.": scores.exp(),
        "The softmax is missing: the scores themselves multiply the values.": scores,
    }


def _first_alone(q: Tensor, k: Tensor, v: Tensor) -> list[tuple[str, Tensor, Tensor, Tensor]]:
    """What is taken of the first head, and queries, keys and values then."""
    q0, k0, v0 = (x[:, :1].expand_as(x) for x in (q, k, v))
    return [
        ("W_Q", q0, k, v),
        ("W_K", q, k0, v),
        ("W_V", q, k, v0),
        ("W_Q and W_K", q0, k0, v),
        ("W_Q, W_K and W_V", q0, k0, v0),
    ]


def _causal_weights(q: Tensor, k: Tensor) -> Tensor:
    later = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).triu(1)
    return scores_of(q, k).masked_fill(later, float("-inf")).softmax(-1)


def _split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _merge(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def _weave(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(2)


def _one_head(q: Tensor, k: Tensor, v: Tensor, W_O: Tensor, width: int) -> Pair:
    weights = (q @ k.mT * width**-0.5).softmax(-1)
    return weights @ v @ W_O, weights
