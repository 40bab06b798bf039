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
        "The positions are missing: add P to the embeddings.": read(coded=False),
        "Your tokens may look at all keys. A token sees itself and those before it, but not the "
        "later ones of its own piece.": (read(causal=None)[0], None, None),
        "The token itself is not added again after attention: the output is x + O W_O.": (
            (read(residual=False)[0], None, None)
        ),
        "The scores are not divided by √K.": (read(scale=1.0)[0], None, None),
        "The scores are divided by √D: K is the width of one head.": (
            (read(scale=math.sqrt(w["E"].shape[1]))[0], None, None)
        ),
        "You return probabilities. Return the logits.": (logits.softmax(-1), None, None),
        "You return keys and values in the wrong order: the keys come first.": (logits, V, K),
        "The values are made with W_K. Use W_V.": (read(makes=("W_K", "W_K"))),
        "The keys are made with W_V. Use W_K.": (read(makes=("W_V", "W_V"))),
        "The keys are made without positions: make them from E + P, like queries and values.": (
            read(keys_coded=False)
        ),
        "Your softmax runs over the new tokens. It must run over the keys.": (
            (read(over=-2)[0], None, None)
        ),
    }
    if heads > 1 and T > 1:
        found[
            "You split the heads with a reshape alone. They are side by side in the columns: "
            "reshape to (B, T, H, K) first, then swap the axes of tokens and heads."
        ] = read(straight=True)
        found[
            "You join the heads' results with a reshape alone. Swap the axes of heads and tokens "
            "first, to (B, T, H, K), so that the heads come to lie side by side."
        ] = (read(straight_back=True)[0], None, None)
    if past == 0 and len(w["P"]) > T:
        found["Your positions begin with 1: the first token of a text is at position 0."] = read(
            start=1
        )
    if past:
        new = torch.ones(T, T, dtype=torch.bool).tril()
        none = K_past[:, :, :0], V_past[:, :, :0]
        alone = read(causal=new, K_past=none[0], V_past=none[1])
        found |= {
            "Your positions begin with 0 again: the first new token comes after all that were "
            "read, at position R.": read(start=0),
            "The positions are one too large: after R tokens, at 0 to R - 1, the next is at R.": (
                read(start=past + 1) if past + 1 + T <= len(w["P"]) else (None, None, None)
            ),
            "The positions are one too small: after R tokens, at 0 to R - 1, the next is at R.": (
                read(start=past - 1)
            ),
            "Your mask begins at the first key, as if nothing had been read: new token i sees the "
            "R old keys and new ones up to its own.": (
                (read(causal=torch.ones(T, S, dtype=torch.bool).tril())[0], None, None)
            ),
            "The new keys and values come before the old ones. They belong after them.": (
                read(front=True, causal=None) if T == 1 else read(front=True)
            ),
            "Your new tokens do not look at what was read before: the cache is not used.": (
                *(alone[0], K, V),
            ),
            "You return only the new keys and values. Return the old ones, too, followed by the "
            "new ones.": (logits, K[:, :, past:], V[:, :, past:]),
            "What was read before is forgotten: use and return the keys and values of all tokens, "
            "old and new.": alone,
            "You return the cache unchanged: append the new keys and values to it.": (
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
        "This is what `published_next` does: padding takes up positions, and the result is read at "
        "the last position, even if it is padding.": after(order, last[2]),
        "You read at the last real token now, but padding in front still takes up positions. Count "
        "only real tokens.": after(order, last[0]),
        "The positions are right now, but you read at the last position of the batch, which may be "
        "padding.": after(own, last[2]),
        "You read at position n - 1 of the batch, where n is the number of real tokens. With "
        "padding in front, the last real token comes later.": after(own, last[1]),
        "Your positions begin with 1: the first real token is at position 0.": (
            after(counted.clamp(max=len(w["P"]) - 1), last[0])
        ),
        "Your tokens look at padding: it must get no weight.": (
            after(own, last[0], torch.ones_like(real))
        ),
        "Your code gives all tokens position 0.": after(torch.zeros_like(own), last[0]),
    }
    return told_once(others(found, after(own, last[0])))
