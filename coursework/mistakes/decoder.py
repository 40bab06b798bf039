"""Mistakes in reading with a cache and in batches of prompts, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. The model
has embeddings ``E`` ``(V, D)``, which are its unembedding too, positions ``P``, and one layer of
attention.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

Three = tuple[Tensor | None, Tensor | None, Tensor | None]
Weights = Mapping[str, Tensor]


@later
def read_mistakes(
    tokens: Tensor, w: Weights, heads: int, K_past: Tensor, V_past: Tensor
) -> dict[str, Three]:
    """What known mistakes make of reading on: message → (logits, keys, values).

    Parameters
    ----------
    tokens, w, heads:
        Ids ``(B, T)``; ``E``, ``P`` and the four matrices of attention; ``H``.
    K_past, V_past:
        ``(B, H, R, K)``: of the tokens before.
    """
    past, T = K_past.shape[2], tokens.shape[1]
    S = past + T
    up_to_own = torch.ones(T, S, dtype=torch.bool).tril(past)

    def read(
        start: int = past,
        causal: Tensor | None = up_to_own,
        K_past: Tensor = K_past,
        V_past: Tensor = V_past,
        front: bool = False,
        residual: bool = True,
        scale: float | None = None,
        straight: bool = False,
        straight_back: bool = False,
        over: int = -1,
        coded: bool = True,
        keys_coded: bool = True,
        makes: tuple[str, str] = ("W_K", "W_V"),
    ) -> tuple[Tensor, Tensor, Tensor]:
        x = w["E"][tokens] + (w["P"][start : start + T] if coded else 0)

        def split(columns: Tensor) -> Tensor:
            if straight:
                return columns.reshape(len(columns), heads, T, -1)
            return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

        def joined(old: Tensor, new: Tensor) -> Tensor:
            return torch.cat([new, old] if front else [old, new], dim=2)

        Q = split(x @ w["W_Q"])
        of_keys = x if keys_coded else w["E"][tokens]
        K = joined(K_past, split(of_keys @ w[makes[0]]))
        V = joined(V_past, split(x @ w[makes[1]]))
        scores = Q @ K.mT / (math.sqrt(Q.shape[-1]) if scale is None else scale)
        if causal is not None:
            scores = scores.masked_fill(~causal[:, -K.shape[2] :], -torch.inf)
        o = scores.softmax(over) @ V
        o = o.reshape(len(o), T, -1) if straight_back else o.transpose(1, 2).flatten(2)
        o = o @ w["W_O"]
        return (x + o if residual else o) @ w["E"].mT, K, V

    logits, K, V = right = read()
    found: dict[str, Three] = {
        "There are no positions in it: add P to the embeddings.": read(coded=False),
        "Every token of a piece may look at all keys: a token sees those before it and itself, "
        "not the later ones of its own piece.": (read(causal=None)[0], None, None),
        "The token itself is not added again after attention: the output is x + O W_O.": (
            (read(residual=False)[0], None, None)
        ),
        "The scores are not divided by √K.": (read(scale=1.0)[0], None, None),
        "The scores are divided by √D: K is the width of one head.": (
            (read(scale=math.sqrt(w["E"].shape[1]))[0], None, None)
        ),
        "You return probabilities: the logits are asked for.": (logits.softmax(-1), None, None),
        "Keys and values have changed places in what you return: first the keys.": (logits, V, K),
        "The values are made with W_K: they have a matrix of their own, W_V.": (
            read(makes=("W_K", "W_K"))
        ),
        "The keys are made with W_V: they have a matrix of their own, W_K.": (
            read(makes=("W_V", "W_V"))
        ),
        "The keys are made without positions: they come of E + P, as queries and values do.": (
            read(keys_coded=False)
        ),
        "Your softmax runs over the new tokens: each of them shares out 1 among the keys.": (
            (read(over=-2)[0], None, None)
        ),
    }
    if heads > 1 and T > 1:
        found[
            "The heads are cut with a reshape alone: they lie side by side in the columns, so "
            "first (B, T, H, K), and then the axes change places."
        ] = read(straight=True)
        found[
            "The heads' results are joined with a reshape alone: the axes of heads and tokens "
            "change places first, (B, T, H, K), and then the heads lie side by side."
        ] = (read(straight_back=True)[0], None, None)
    if past == 0 and len(w["P"]) > T:
        found["The positions begin with 1: the first token of a text stands at place 0."] = read(
            start=1
        )
    if past:
        new = torch.ones(T, T, dtype=torch.bool).tril()
        none = K_past[:, :, :0], V_past[:, :, :0]
        alone = read(causal=new, K_past=none[0], V_past=none[1])
        found |= {
            "The positions begin with 0 again: the first new token stands behind all that were "
            "read, at place R.": read(start=0),
            "The positions are one too large: after R tokens, places 0 to R - 1, the next is R.": (
                read(start=past + 1) if past + 1 + T <= len(w["P"]) else (None, None, None)
            ),
            "The positions are one too small: after R tokens, places 0 to R - 1, the next is R.": (
                read(start=past - 1)
            ),
            "Your mask begins at the first key, as if nothing had been read: new token i sees the "
            "R old keys and new ones up to its own.": (
                (read(causal=torch.ones(T, S, dtype=torch.bool).tril())[0], None, None)
            ),
            "The new keys and values stand in front of the old ones: they belong behind.": (
                read(front=True, causal=None) if T == 1 else read(front=True)
            ),
            "What was read before is not looked at: the cache is there and not used.": (
                *(alone[0], K, V),
            ),
            "Only the new keys and values come back: return the old ones, too, with the new ones "
            "behind them.": (logits, K[:, :, past:], V[:, :, past:]),
            "What was read before is forgotten: keys and values of all tokens are asked for, "
            "looked at and returned.": alone,
            "The cache comes back as it was: the new keys and values belong behind the old.": (
                (logits, K_past, V_past)
            ),
        }
    return told_once(others(found, right))


@later
def next_mistakes(tokens: Tensor, real: Tensor, w: Weights) -> dict[str, Tensor]:
    """What known mistakes say comes after each prompt: message → logits ``(B, V)``.

    ``tokens`` and ``real`` are ``(B, T)``; attention has one head.
    """
    (B, T), rows = tokens.shape, torch.arange(len(tokens))
    order, counted = torch.arange(T), real.long().cumsum(-1)
    last = (counted.argmax(-1), counted[:, -1] - 1, torch.full((B,), T - 1))

    def after(places: Tensor, at: Tensor, seen: Tensor = real) -> Tensor:
        x = w["E"][tokens] + w["P"][places]
        mask = seen[:, None, :] & torch.ones(T, T, dtype=torch.bool).tril()
        scores = (x @ w["W_Q"]) @ (x @ w["W_K"]).mT / math.sqrt(w["W_Q"].shape[1])
        scores = scores.masked_fill(~mask, -10_000.0)
        x = x + scores.softmax(-1) @ (x @ w["W_V"]) @ w["W_O"]
        return x[rows, at] @ w["E"].mT

    own = (counted - 1).clamp(min=0)
    found = {
        "This is what `published_next` does: padding takes places, and the last place is read, "
        "whatever stands there.": after(order, last[2]),
        "The last real token is read now, but padding in front still takes places: count the "
        "places by real tokens alone.": after(order, last[0]),
        "The places are right now, but it is the last place of the batch that is read: padding "
        "may stand there.": after(own, last[2]),
        "You read at place n - 1 of the batch, n being the number of real tokens: with padding in "
        "front the last real token stands further behind.": after(own, last[1]),
        "The positions begin with 1: the first real token stands at place 0.": (
            after(counted.clamp(max=len(w["P"]) - 1), last[0])
        ),
        "Padding is looked at: it may get no weight.": after(own, last[0], torch.ones_like(real)),
        "Your code gives all tokens position 0.": after(torch.zeros_like(own), last[0]),
    }
    return told_once(others(found, after(own, last[0])))
