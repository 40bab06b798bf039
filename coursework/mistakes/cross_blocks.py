"""Mistakes in putting a decoder's block together, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import faults, others, told_once

Found = tuple[Tensor, Tensor | None]
Head = Sequence[Tensor]


@later
def decoder_block_mistakes(
    y: Tensor, m: Tensor, w: Mapping[str, Tensor], heads: int, source_real: Tensor
) -> dict[str, Found]:
    """What known mistakes make of a post-norm decoder block: message → (output, weights).

    Parameters
    ----------
    y, m:
        The target's tokens ``(B, T, D)`` and what the encoder read ``(B, S, D)``.
    w:
        ``self_Q`` to ``self_O``, ``cross_Q`` to ``cross_O``, ``W_1``, ``b_1``, ``W_2``, ``b_2``,
        and ``gain_1``, ``bias_1`` to ``gain_3``, ``bias_3``.
    heads, source_real:
        The number of heads, and which positions of the source hold words, ``(B, S)``.

    Returns
    -------
    found
        Output ``(B, T, D)`` and weights of the cross-attention ``(B, H, T, S)``; ``None`` where a
        mistake tells nothing of them.
    """
    block = _Decoder(y, m, w, heads, source_real)
    right, own_weights = block.run(), block.own_weights
    square, padded = y.shape[1] == m.shape[1], not bool(source_real.all())
    found: dict[str, Found] = {
        "The causal mask is missing: a word of the target sees later words.": block.run(own="all"),
        "Your mask hides each word from itself. Position t sees positions 0 to t.": (
            block.run(own="before")
        ),
        "The causal mask is transposed: a word sees later words and no earlier ones.": (
            block.run(own="after")
        ),
        "Your cross-attention looks at padding of the source. source_real says which of its "
        "positions are words.": (block.run(across="all")),
        "The wrong positions of the source are hidden. True = may be attended to.": (
            block.run(across="padding")
        ),
        "The residual connection around self-attention is missing.": block.run(without=1),
        "The residual connection around the cross-attention is missing.": block.run(without=2),
        "The residual connection around the feed-forward layer is missing.": block.run(without=3),
        "All three residual connections are missing.": block.run(without=0),
        "You add the cross-attention's result to the block's input. Add it to the output of the "
        "first norm.": block.run(add_to="input"),
        "The queries of your cross-attention come from the block's input. Make them from the "
        "output of the first norm.": block.run(asks="input"),
        "This is the pre-norm block. Here each sum is normalised, as in 2017.": block.run("pre"),
        "You normalise the output of each part, before the sum. Normalise the sum.": (
            block.run("behind")
        ),
        "The norms are missing.": block.run("none"),
        "Your first norm comes before self-attention. Normalise the sum, after the residual is "
        "added.": block.run("first before"),
        "The first norm is missing.": block.run(norms=(0, 2, 3)),
        "The second norm is missing.": block.run(norms=(1, 0, 3)),
        "The last norm is missing.": block.run(norms=(1, 2, 0)),
        "The second and the third norm are swapped.": block.run(norms=(1, 3, 2)),
        "The first norm's gain and bias are used for all three norms.": block.run(norms=(1, 1, 1)),
        "ε is outside the root in your norms. Add it to the variance, inside the root.": (
            block.run(normal="outside")
        ),
        "Your norms divide the sum of squares by D - 1. Divide by D.": (block.run(normal="D - 1")),
        "Your code normalises the source once more. The encoder has already done that.": (
            block.run(memory="normed")
        ),
        "Your code does the cross-attention first. Self-attention comes first.": block.run(
            swapped=True
        ),
        "Self-attention is missing.": block.run(skip=1),
        "The cross-attention is missing.": (block.run(skip=2)[0], None),
        "The feed-forward layer is missing.": block.run(skip=3),
        "The cross-attention uses the matrices of self-attention. It has its own.": block.run(
            matrices="self"
        ),
        "The scores are not scaled: divide by √K.": block.run(scale=1.0),
        "The scores are divided by √D. Divide by √K, where K is the width of one head.": (
            block.run(scale=y.shape[-1] ** -0.5)
        ),
        "Your code treats all heads as one. Split the columns into heads.": (
            block.run(heads=1)[0],
            None,
        ),
        "You split the heads with a reshape alone. They are side by side in the columns: "
        "reshape to (B, T, H, K) first, then swap the axes of tokens and heads.": block.run(
            cut="mixed"
        ),
        "You split the heads with a reshape alone, and join them with one. They are side by "
        "side in the columns: reshape to (B, T, H, K) first, then swap the axes of tokens and "
        "heads.": (block.run(cut="mixed", back="mixed")),
        "You join the heads with a reshape alone. Transpose (B, H, T, K) to (B, T, H, K) first.": (
            block.run(back="mixed")
        ),
        "Your code interleaves the heads' columns. Head 0 has columns 0 to K - 1.": (
            block.run(cut="woven")
        ),
        "The ReLU is missing.": block.run(between="nothing"),
        "You use a GELU. The feed-forward layer has a ReLU here.": block.run(between="gelu"),
    }
    found[
        "You use the causal mask on the source. The whole source is known before the first word "
        "is written, so only its padding is hidden."
    ] = block.run(across="causal")
    if padded:
        found[
            "You use the causal mask on the source, besides the padding mask. The whole source "
            "is known before the first word is written."
        ] = block.run(across="both")
    if square:
        found |= {
            "Queries come from the source, and keys and values from the target. The queries "
            "must come from the target, whose next word is being written.": block.run(
                asks="source"
            ),
            "Keys come from the source and values from the target. Both must come from the "
            "source.": (block.run(values="target")),
            "Queries, keys and values all come from the source. The queries must come from the "
            "target, whose next word is being written.": block.run(asks="only source"),
            "The source's padding hides words of the target in self-attention. Source and "
            "target have their own lengths.": block.run(own="source"),
        }
    output, weights = right
    found |= {
        "You return the mean of the weights over the heads. Return the weights of each head.": (
            output,
            weights.mean(1),
        ),
        "You return the weights of self-attention. Return those of the cross-attention.": (
            output,
            own_weights,
        ),
        "The weights that you return sum to 1 over the target's positions: transpose them.": (
            (output, weights.mT)
        ),
    }
    return faults(told_once(others(found, right)), right)


@later
def look_mistakes(
    y: Tensor,
    m: Tensor,
    source_lengths: Tensor,
    own: Head,
    cross: Head,
    lengths: Tensor | None = None,
) -> dict[str, Tensor]:
    """What known ways to mend the published decoder come to: message → output ``(B, T, D)``.

    Parameters
    ----------
    y, m, source_lengths:
        The target's tokens ``(B, T, D)``, what the encoder read ``(B, S, D)``, and how many of its
        positions are words ``(B,)``.
    own, cross:
        Three matrices for each of the two attentions, of one head.
    lengths:
        How many positions of each target are words ``(B,)``.
    """
    T, S = y.shape[1], m.shape[1]
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    real = (torch.arange(S) < source_lengths[:, None])[:, None]  # (B, 1, S)

    def both(first: Tensor, second: Tensor, asks: str = "new", add_to: str = "new") -> Tensor:
        h = y + _one_head(y, y, first, own)
        found = _one_head(h if asks == "new" else y, m, second, cross)
        return (h if add_to == "new" else y) + found

    everywhere = torch.ones(T, T, dtype=torch.bool)
    found = {
        "Your code looks at padding of the source now. source_lengths says how many of its "
        "positions are words.": both(causal, torch.ones(T, S, dtype=torch.bool)),
        "The target's words see later words now. Self-attention was right before: leave it as "
        "it was.": (both(everywhere, real)),
        "Your causal mask hides each word of the target from itself: the diagonal must be True.": (
            both(causal.tril(-1), real)
        ),
        "The wrong positions of the source are hidden. True = may be attended to.": (
            both(causal, ~real)
        ),
        "The queries of the cross-attention come from y. They came from h before, and that was "
        "right.": (both(causal, real, "old")),
        "You add the cross-attention's result to y. It was added to h before, and that was "
        "right.": (both(causal, real, add_to="old")),
        "The queries of the cross-attention come from y, and its result is added to y. It was h "
        "in both places, and that was right.": both(causal, real, "old", "old"),
    }
    if lengths is not None:
        theirs = (torch.arange(S) < lengths[:, None])[:, None]
        found["The target's lengths hide positions of the source. source_lengths says how many of "
              "its positions are words."] = both(causal, theirs)  # fmt: skip
    if T == S:
        found["The causal mask is still used on the source. The whole source is known before "
              "the first word is written."] = both(causal, causal & real)  # fmt: skip
    return told_once(others(found, both(causal, real)))


def _one_head(x: Tensor, other: Tensor, mask: Tensor, head: Head) -> Tensor:
    W_Q, W_K, W_V = head
    scores = x @ W_Q @ (other @ W_K).mT * W_Q.shape[1] ** -0.5
    return scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num() @ (other @ W_V)


class _Decoder:
    """A decoder's block that can be got wrong in many ways, one at a time."""

    def __init__(
        self, y: Tensor, m: Tensor, w: Mapping[str, Tensor], heads: int, source_real: Tensor
    ) -> None:
        self.y, self.m, self.w, self.heads = y, m, w, heads
        T, S = y.shape[1], m.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool).tril()
        real = source_real[:, None, None]  # (B, 1, 1, S)
        self.own = {
            "causal": causal,
            "all": torch.ones_like(causal),
            "before": causal.tril(-1),
            "after": causal.T,
        }
        seen = torch.ones(T, S, dtype=torch.bool).tril()
        self.across = {"real": real, "all": torch.ones_like(real), "padding": ~real}
        self.across |= {"causal": seen, "both": seen & real}
        if T == S:
            self.own["source"] = causal & real
        self.own_weights = torch.zeros(())

    def run(
        self,
        order: str = "post",
        *,
        own: str = "causal",
        across: str = "real",
        asks: str = "target",
        values: str = "source",
        memory: str = "plain",
        matrices: str = "cross",
        without: int | None = None,
        skip: int | None = None,
        add_to: str = "sum",
        norms: tuple[int, int, int] = (1, 2, 3),
        swapped: bool = False,
        scale: float | None = None,
        heads: int | None = None,
        between: str = "relu",
        normal: str = "right",
        cut: str = "columns",
        back: str = "columns",
    ) -> tuple[Tensor, Tensor]:
        """Output and the weights of the cross-attention."""
        y, m, w = self.y, self.m, self.w
        m = _normal(m) if memory == "normed" else m
        self.normal, self.cut, self.back = normal, cut, back
        heads = heads or self.heads
        seen: dict[str, Tensor] = {}

        def attend(h: Tensor) -> Tensor:
            found, weights = self._attention(h, h, h, "self", self.own[own], heads, scale)
            self.own_weights = weights
            return found

        def attend_across(h: Tensor) -> Tensor:
            asking = {"target": h, "input": y}.get(asks, m)
            keys = h if asks == "source" else m
            given = h if values == "target" else keys
            mask = self.across[across]
            found, seen["weights"] = self._attention(
                asking, keys, given, matrices, mask, heads, scale
            )
            return found

        def ffn(h: Tensor) -> Tensor:
            hidden = h @ w["W_1"] + w["b_1"]
            if between == "relu":
                hidden = hidden.relu()
            elif between == "gelu":
                hidden = torch.nn.functional.gelu(hidden)
            return hidden @ w["W_2"] + w["b_2"]

        parts = [(1, attend), (2, attend_across), (3, ffn)]
        if swapped:
            parts[0], parts[1] = parts[1], parts[0]
        h = y
        for number, part in parts:
            norm = norms[number - 1]
            before = order == "pre" or (order == "first before" and number == 1)
            found = part(self._norm(h, norm) if before else h)
            found = torch.zeros_like(found) if skip == number else found
            found = self._norm(found, norm) if order == "behind" else found
            left = torch.zeros_like(h) if without in (number, 0) else h
            left = y if add_to == "input" and number == 2 else left
            h = left + found
            after = order == "post" or (order == "first before" and number > 1)
            h = self._norm(h, norm) if after and norm else h
        return h, seen["weights"]

    def _attention(
        self,
        x: Tensor,
        keys: Tensor,
        values: Tensor,
        name: str,
        mask: Tensor,
        heads: int,
        scale: float | None,
    ) -> tuple[Tensor, Tensor]:
        def split(columns: Tensor) -> Tensor:
            if self.cut == "mixed":
                return columns.reshape(len(columns), heads, columns.shape[1], -1)
            if self.cut == "woven":
                return columns.unflatten(-1, (-1, heads)).movedim(-1, 1)
            return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

        Q, K, V = (
            split(each @ self.w[f"{name}_{letter}"])
            for each, letter in ((x, "Q"), (keys, "K"), (values, "V"))
        )
        scores = Q @ K.mT * (Q.shape[-1] ** -0.5 if scale is None else scale)
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()
        found = weights @ V
        if self.back == "mixed":
            found = found.reshape(len(found), found.shape[2], -1)
        else:
            found = found.transpose(1, 2).flatten(2)
        return found @ self.w[f"{name}_O"], weights

    def _norm(self, h: Tensor, n: int) -> Tensor:
        return _normal(h, self.normal) * self.w[f"gain_{n}"] + self.w[f"bias_{n}"]


def _normal(h: Tensor, how: str = "right") -> Tensor:
    centred = h - h.mean(-1, keepdim=True)
    variance = h.var(-1, correction=int(how == "D - 1"), keepdim=True)
    return centred / (variance.sqrt() + 1e-5 if how == "outside" else (variance + 1e-5).sqrt())
