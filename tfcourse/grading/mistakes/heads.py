"""Wrong ways to compute attention with several heads that learners are known to take, and what to
say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`tfcourse.grading.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

from torch import Tensor

from tfcourse.grading.mistakes.attention import Pair


def split_mistakes(x: Tensor, heads: int) -> dict[str, Tensor]:
    """What known mistakes make of tokens ``(B, T, H·K)`` split to ``(B, H, T, K)``."""
    B, T, D = x.shape
    right = _split(x, heads)
    return {
        "Your heads mix tokens: the numbers were counted off anew, straight from (B, T, D) into "
        "(B, H, T, K). Split the last axis where it stands, into (B, T, H, K), and only then "
        "exchange the axes of tokens and heads.": x.reshape(B, heads, T, D // heads),
        "Each of your heads takes every H-th column. Head ℓ takes K columns that lie side by side, "
        "from ℓ·K on: the heads are the slower part of the last axis.": (
            x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2)
        ),
        "Your tokens and columns change places before the split, so that a head takes its numbers "
        "from several tokens. Split the last axis first.": (x.mT.reshape(B, heads, T, D // heads)),
        "Your heads stand behind the tokens, (B, T, H, K). A product of matrices takes all axes "
        "but the last two for batch axes, so the heads must stand before the tokens.": (
            right.transpose(1, 2)
        ),
        "Your heads stand before the batch, (H, B, T, K). The batch comes first: (B, H, T, K).": (
            right.transpose(0, 1)
        ),
        "Inside each head tokens and columns have changed places, (B, H, K, T): tokens are rows.": (
            right.mT
        ),
    }


def merge_mistakes(x: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of heads ``(B, H, T, K)`` merged to ``(B, T, H·K)``."""
    B, H, T, K = x.shape
    found = {
        "Your tokens mix: the numbers were counted off anew, straight from (B, H, T, K) into "
        "(B, T, D). Exchange the axes of heads and tokens first, then make one axis of heads and "
        "columns.": x.reshape(B, T, H * K),
        "Your heads are interleaved: column 0 of every head, then column 1 of every head. They are "
        "to lie side by side, all of head 0 first.": x.permute(0, 2, 3, 1).reshape(B, T, K * H),
        "You add the heads up: they are to lie side by side, none of them lost.": x.sum(1),
        "Your heads still have an axis of their own, (B, T, H, K): make one axis of the last "
        "two.": x.transpose(1, 2),
        "Your heads lie one below the other, as if they were further tokens. They are to lie side "
        "by side, in the columns.": x.flatten(1, 2),
    }
    if x.is_floating_point():
        found["You average the heads: they are to lie side by side, none of them lost."] = x.mean(1)
    return found


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
        Message → ``(output, weights)``; ``None`` where that part is as it should be.
    """
    all_q, all_k, all_v = X @ W_Q, X @ W_K, X @ W_V
    q, k, v = (_split(each, heads) for each in (all_q, all_k, all_v))
    scores = q @ k.mT * q.shape[-1] ** -0.5
    right = scores.softmax(-1)

    def pair(weights: Tensor, values: Tensor = v) -> Pair:
        return _merge(weights @ values) @ W_O, weights

    found = {
        message: pair((q @ k.mT * factor).softmax(-1))
        for message, factor in _wrong_factors(q.shape[-1], heads, X.shape[-1]).items()
    }
    found |= {
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?": pair(scores.softmax(-2)),
        "Your weights sum to 1 over the heads, not over the keys: each head has a softmax of its "
        "own. The keys are the last axis, dim=-1.": pair(scores.softmax(1)),
        "The softmax is missing: the scores themselves multiply the values.": pair(scores),
        "Queries and keys are swapped: row i of the scores belongs to query i, so it is Q Kᵀ and "
        "not K Qᵀ.": pair(scores.mT.softmax(-1)),
        "What you return as the weights are the scores, before the softmax.": (None, scores),
        "You return the mean of the heads' weights. Each head has weights of its own, "
        "(B, H, T, T).": (None, right.mean(1)),
        "All your heads are the first one: head ℓ has its own columns of W_Q, W_K and W_V, from "
        "ℓ·K on.": pair(right[:, :1].expand_as(right), v[:, :1].expand_as(v)),
        "Your heads see each other's queries and keys: there is one softmax for all of them. Give "
        "the heads an axis of their own before the scores.": (
            _one_head(all_q, all_k, all_v, W_O, q.shape[-1])
        ),
        "W_O is not applied: what you return are the heads, side by side.": (
            _merge(right @ v),
            None,
        ),
    }
    B, T, _ = X.shape
    straight = [each.reshape(B, heads, T, -1) for each in (all_q, all_k, all_v)]
    weights = weights_of(straight[0], straight[1])
    heads_out = weights @ straight[2]
    mixed = (
        "Your heads mix tokens: (B, T, H·K) was counted off anew into (B, H, T, K). Split the last "
        "axis where it stands, into (B, T, H, K), and only then exchange the axes."
    )
    found[mixed] = _merge(heads_out) @ W_O, weights
    found[mixed + " The way back does the same."] = (
        heads_out.reshape(B, T, -1) @ W_O,
        weights,
    )
    found[
        "On the way back your tokens mix: exchange the axes of heads and tokens before the heads "
        "are put side by side, then there is a row for each token."
    ] = (right @ v).reshape(B, T, -1) @ W_O, None
    woven = [each.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2) for each in (all_q, all_k, all_v)]
    weights = weights_of(woven[0], woven[1])
    heads_out = weights @ woven[2]
    side_by_side = (
        "Each of your heads takes every H-th column of the projections. Head ℓ takes columns that "
        "lie side by side: the heads are the slower part of the last axis."
    )
    found[side_by_side] = _merge(heads_out) @ W_O, weights
    found[side_by_side + " The way back does the same."] = (
        heads_out.permute(0, 2, 3, 1).flatten(2) @ W_O,
        weights,
    )
    if W_O.shape[0] == W_O.shape[1]:
        found["Your heads meet W_Oᵀ: tokens are rows, so it is (heads side by side) W_O."] = (
            _merge(right @ v) @ W_O.mT,
            None,
        )
    return found


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
    H, _, width = W_Q.shape
    scores = q @ k.mT * width**-0.5
    right = scores.softmax(-1)

    def pair(weights: Tensor, values: Tensor = v, last: Tensor = W_O) -> Pair:
        parts = weights @ values @ last
        return parts.sum(1), parts

    found = {
        message: pair((q @ k.mT * factor).softmax(-1))
        for message, factor in _wrong_factors(width, H, X.shape[-1]).items()
    }
    parts = right @ v @ W_O
    found |= {
        "Your weights sum to 1 over the queries, not over the keys: which dimension does your "
        "softmax run over?": pair(scores.softmax(-2)),
        "Your weights sum to 1 over the heads, not over the keys: each head has a softmax of its "
        "own.": pair(scores.softmax(1)),
        "Your weights sum to 1 over the source words of all heads together: each head has a "
        "softmax of its own.": pair(
            scores.transpose(1, 2).flatten(2).softmax(-1).unflatten(-1, (H, -1)).transpose(1, 2)
        ),
        "The softmax is missing: the scores themselves multiply the values.": pair(scores),
        "All your heads look where the first one looks: head ℓ has matrices of its own.": pair(
            right[:, :1].expand_as(right)
        ),
        "All your heads meet the first head's W_O: head ℓ has its own rows of it.": pair(
            right, last=W_O[:1]
        ),
        "You add the heads up before W_O. Each is multiplied by its own block of W_O first, and "
        "then they are added.": ((right @ v).sum(1) @ W_O.sum(0), None),
        "You average what the heads add: side by side and then W_O is their sum.": (
            parts.mean(1),
            None,
        ),
        "Your output is what the first head adds, alone.": (parts[:, 0], None),
        "Your parts are the heads before W_O: a part is what the head adds to the output.": (
            None,
            right @ v,
        ),
        "What you return as the parts are the weights.": (None, right),
        "Your parts are shares of one sum, all alike: a part is what this head alone adds.": (
            None,
            parts.mean(1, keepdim=True).expand_as(parts),
        ),
    }
    if X.shape[-1] == C.shape[-1]:
        own_k, own_v = X[:, None] @ W_K, X[:, None] @ W_V
        found["The source is not used: your keys and values come from X, as in self-attention."] = (
            pair(weights_of(q, own_k), own_v)
        )
        found[
            "The roles are exchanged: the decoder's tokens X ask, so queries come from X, keys and "
            "values from C."
        ] = pair(weights_of(C[:, None] @ W_Q, own_k), own_v)
        if X.shape[1] == C.shape[1]:
            found["Your values come from X: what is looked up stands in the source C."] = pair(
                right, own_v
            )
            found["Your keys come from X: what is compared with a query stands in C."] = pair(
                weights_of(q, own_k)
            )
    return found


def weights_of(q: Tensor, k: Tensor) -> Tensor:
    """Scaled weights of every query over the keys, without a mask."""
    return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1)


def _split(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def _merge(x: Tensor) -> Tensor:
    return x.transpose(1, 2).flatten(2)


def _one_head(q: Tensor, k: Tensor, v: Tensor, W_O: Tensor, width: int) -> Pair:
    weights = (q @ k.mT * width**-0.5).softmax(-1)
    return weights @ v @ W_O, weights


def _wrong_factors(width: int, heads: int, d_model: int) -> dict[str, float]:
    """Message → what the dot products were multiplied by."""
    wide = heads * width
    told = f"d_k = {width} is the width of one head."
    factors = {
        f"Your scores are not scaled: divide them by √d_k = √{width}, the width of one head.": 1.0,
        f"Your scores are divided by d_k = {width}: it is its square root that is asked for.": (
            1 / width
        ),
    }
    sizes = {
        heads: f"{heads} is the number of heads",
        d_model: f"{d_model} is d_model, the width of a token",
        wide: "that is the width of all heads together",
    }
    for size, what in sizes.items():
        factors[f"Your scores are divided by √{size}: {what}. {told}"] = size**-0.5
    # Where two sizes coincide, a wrong factor may be the right one.
    return {message: factor for message, factor in factors.items() if factor != width**-0.5}
