"""Mistakes in sharing masks, keys and values among heads, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import torch
from torch import Tensor

from coursework.mistakes.attention import Pair, attention_mistakes
from coursework.mistakes.heads import scores_of, weights_of
from coursework.mistakes.later import later
from coursework.mistakes.scales import wrong_factors
from coursework.mistakes.telling import others, told_apart


@later
def mask_mistakes(real: Tensor, windows: Tensor, T: int) -> dict[str, Tensor]:
    """What known mistakes make of causal mask, padding and windows together ``(B, H, T, S)``.

    Parameters
    ----------
    real:
        Boolean ``(B, S)``, ``True`` where a token stands.
    windows:
        How many positions each head sees, ``(H,)``.
    T:
        Number of queries, which stand at the last ``T`` of the ``S`` positions.
    """
    (B, S), H = real.shape, len(windows)
    i, j = torch.arange(S - T, S)[:, None], torch.arange(S)
    causal, there, wide = j <= i, real[:, None, None, :], windows[:, None, None]
    near = i - j < wide  # (H, T, S)
    right = causal & near & there
    first = torch.arange(T)[:, None]
    found = {
        "Your mask is True where a key is hidden. Here True = may be attended to.": ~right,
        "Your mask allows what any one of the three masks allows. A key must be allowed by all "
        "three.": causal | near | there,
        "The padding may still be attended to. real hides keys, in every row of its sequence.": (
            (causal & near).expand_as(right)
        ),
        "The windows have no effect in your mask: all heads have the same mask.": (
            (causal & there).expand_as(right)
        ),
        "Later tokens may be attended to. A window only reaches back: j ≤ i.": near & there,
        "Your windows reach to both sides, and nothing hides later keys: j ≤ i.": (
            ((i - j).abs() < wide) & there
        ),
        "Your windows allow one position too many. A window of w holds the query's own position "
        "and w - 1 before it.": causal & (i - j <= wide) & there,
        "Your windows allow one position too few. A window of w holds the query's own position and "
        "w - 1 before it.": causal & (i - j < wide - 1) & there,
        "Your windows hide the near positions and show the far ones.": causal & ~near & there,
        "No query sees its own position: j ≤ i, including the diagonal.": (j < i) & near & there,
        "Each query sees the next position as well: j ≤ i, no further.": (
            (j <= i + 1) & near & there
        ),
        "You empty the rows of queries that are padding. real says which keys, the columns, are "
        "hidden.": right & real[:, S - T :][:, None, :, None],
    }
    found[
        "Your padding hides rows, the queries. real says which keys, the columns, are hidden."
    ] = causal & near & real[:, S - T :][:, None, :, None]
    if S != T:
        found[
            "Your queries are at the first T positions. They are the last T of all S: query i is "
            "at position S - T + i."
        ] = (j <= first) & (first - j < wide) & there
    if B == H:
        found[
            "Your windows go to the sequences of the batch, not to the heads. Reshape (H,) to "
            "(H, 1, 1) to match (B, H, T, S)."
        ] = causal & (i - j < windows[:, None, None, None]) & there
        found[
            "Your padding goes to the heads, not to the sequences. Reshape (B, S) to (B, 1, 1, "
            "S) to match (B, H, T, S)."
        ] = causal & near & real[None, :, None, :]
    return found


@later
def masked_mistakes(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> dict[str, Pair]:
    """What known mistakes make of attention under a mask ``(B, H, T, S)``, or ``(B, 1, T, S)``.

    Queries, keys and values have a head axis, ``(B, H, ..., ...)``.
    """
    right = _masked(Q, K, mask)
    return told_apart(_under(Q, K, V, mask), (right @ V, right))


def _under(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> dict[str, Pair]:
    scores = scores_of(Q, K)
    found = _of_attention(Q, K, V, mask, {})
    filled_with = {
        "Your mask hides the keys that it should show. True = may be attended to, so fill a "
        "score where the mask is not True: ~mask.": scores.masked_fill(
            mask, torch.finfo(scores.dtype).min
        ),
    }
    if scores.masked_fill(~mask, 0.0).amin() < -1e3:  # lower than what many write there
        filled_with[
            "The number that you write into hidden scores is not low enough: visible scores are "
            "lower still, and the hidden ones take all the weight. Use -∞, or the lowest number "
            "of the dtype, torch.finfo(scores.dtype).min."
        ] = scores.masked_fill(~mask, 0.0)
    else:
        filled_with[
            "Hidden scores become 0, and exp(0) = 1 is not a small weight: they must become -∞. "
            "Weights set to 0 afterwards are missing from the sum, so the others no longer sum "
            "to 1."
        ] = scores.masked_fill(~mask, 0.0)
    for message, filled in filled_with.items():
        weights = filled.softmax(-1) * mask
        found[message] = weights @ V, weights
    return found


@later
def one_mask_mistakes(Q: Tensor, K: Tensor, V: Tensor, mask: Tensor) -> dict[str, Pair]:
    """What known mistakes make of attention under one mask ``(B, T, S)`` for all heads.

    Queries, keys and values have a head axis, ``(B, H, ..., ...)``.
    """
    found: dict[str, Pair] = {}
    if Q.shape[0] == Q.shape[1]:
        for_heads = _masked(Q, K, mask[None])
        found[
            "The mask of sequence b was used for head b of every sequence: in (B, T, S), the "
            "batch axis meets the heads of (B, H, T, S). Give it an axis for the heads, (B, 1, "
            "T, S)."
        ] = for_heads @ V, for_heads
    first = _masked(Q, K, mask[:1, None])
    found["The mask of the first sequence hides keys in all of them."] = first @ V, first
    right = _masked(Q, K, mask[:, None])
    return told_apart(found | _under(Q, K, V, mask[:, None]), (right @ V, right))


@later
def grouped_mistakes(Q: Tensor, K: Tensor, V: Tensor) -> dict[str, Pair]:
    """What known mistakes make of ``H`` heads of queries over ``G`` heads of keys and values.

    Parameters
    ----------
    Q, K, V:
        ``(B, H, T, K)``, ``(B, G, S, K)`` and ``(B, G, S, Dv)``.

    Returns
    -------
    mistakes
        Message → ``(output, weights)``; ``None`` where that part is as it should be.
    """
    H, G = Q.shape[1], K.shape[1]
    each = H // G
    full_k, full_v = (x.repeat_interleave(each, dim=1) for x in (K, V))
    weights = weights_of(Q, full_k)

    def pair(k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        found = weights_of(Q, k)
        return found @ v, found

    found = {
        "Head h takes group h mod G. Neighbouring heads share a group: with 4 heads and 2 "
        "groups, heads 0 and 1 take group 0. (repeat counts 0 1 0 1, repeat_interleave 0 0 1 "
        "1.)": (pair(K.repeat(1, each, 1, 1), V.repeat(1, each, 1, 1))),
        "Keys and values are paired differently: head h takes the keys of one group and the "
        "values of another. Its values are those of group h mod G.": (
            weights @ V.repeat(1, each, 1, 1),
            None,
        ),
        "Keys and values are paired differently: head h takes the keys of one group and the "
        "values of another. Its keys are those of group h mod G.": (
            pair(K.repeat(1, each, 1, 1), full_v)
        ),
        "All your heads take the first group.": pair(K[:, :1], V[:, :1]),
        "All your heads take the mean of the groups: each group serves its own heads.": pair(
            K.mean(1, keepdim=True), V.mean(1, keepdim=True)
        ),
        "You average the queries of a group. Only keys and values are shared: each head keeps its "
        "own queries, and there are H outputs.": _mean_queries(Q, K, V),
        "Groups and heads still have separate axes. Merge them into one, (B, H, T, ...).": (
            (weights @ full_v).unflatten(1, (G, each)),
            weights.unflatten(1, (G, each)),
        ),
    }
    sizes = {"the number of groups": G, "the number of heads in a group": each}
    found |= _of_attention(Q, full_k, full_v, None, sizes)
    return told_apart(found, (weights @ full_v, weights))


@later
def pool_mistakes(W: Tensor, heads: int, groups: int) -> dict[str, Tensor]:
    """What known mistakes make of ``(D, H·K)`` pooled to ``(D, G·K)``: message → matrix."""
    D, each = len(W), heads // groups
    by_group = W.view(D, groups, each, -1)
    found = {
        "You add up the heads of a group. Take their mean.": by_group.sum(2).flatten(1),
        "Your groups take every G-th head. Neighbouring heads share a group.": (
            W.view(D, each, groups, -1).mean(1).flatten(1)
        ),
        "You keep the first head of each group. Take the mean of its heads.": (
            by_group[:, :, 0].flatten(1)
        ),
        "You keep the last head of each group. Take the mean of its heads.": (
            by_group[:, :, -1].flatten(1)
        ),
        "You average neighbouring columns inside a head. Average column c of every head of the "
        "group to get column c.": W.view(D, -1, each).mean(2),
        "All your groups are the mean of all heads.": (
            W.view(D, heads, -1).mean(1).repeat(1, groups)
        ),
        "Your result still has an axis for the groups. Put them side by side, (D, G·K).": (
            by_group.mean(2)
        ),
    }
    return others(found, by_group.mean(2).flatten(1))


def _of_attention(
    Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None, sizes: dict[str, int]
) -> dict[str, Pair]:
    """The mistakes of attention with any number of heads, the scale's with the sizes of these."""
    sizes = {
        "the number of heads": Q.shape[1],
        "the width of all heads together": Q.shape[1] * Q.shape[-1],
        "d_v, the width of a value": V.shape[-1],
        "the number of keys": K.shape[2],
        "the number of queries": Q.shape[2],
        **sizes,
    }
    found = {}
    for message, factor in wrong_factors(Q.shape[-1], sizes).items():
        weights = _masked(Q, K, mask, factor)
        found[message] = weights @ V, weights
    of_one = attention_mistakes(Q, K, V, mask)
    return found | {m: p for m, p in of_one.items() if not m.startswith("Your scores are ")}


def _masked(q: Tensor, k: Tensor, mask: Tensor | None, factor: float | None = None) -> Tensor:
    scores = scores_of(q, k) if factor is None else q @ k.mT * factor
    if mask is None:
        return scores.softmax(-1)
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)


def _mean_queries(Q: Tensor, K: Tensor, V: Tensor) -> Pair:
    weights = weights_of(Q.unflatten(1, (K.shape[1], -1)).mean(2), K)
    return weights @ V, weights
