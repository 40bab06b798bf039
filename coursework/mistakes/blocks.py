"""Wrong ways to put a block together that learners are known to take, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. Mistakes
whose numbers are the same are told together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

Part = Callable[[Tensor], Tensor]


@later
def block_mistakes(
    x: Tensor,
    w: Mapping[str, Tensor],
    heads: int,
    norm: str,
    mask: Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> dict[str, Tensor]:
    """What known mistakes make of a block: message → output ``(B, T, D)``.

    Parameters
    ----------
    x:
        Tokens ``(B, T, D)``.
    w:
        ``W_Q``, ``W_K``, ``W_V``, ``W_O``, ``W_1``, ``b_1``, ``W_2``, ``b_2``, and ``gain_1``,
        ``bias_1``, ``gain_2``, ``bias_2`` of the two norms.
    heads, norm, mask:
        The number of heads, ``"pre"`` or ``"post"``, and what may be attended to.
    """
    block = _Blocks(w, heads, mask, eps)
    attend, ffn, first, second = block.attend, block.ffn, block.norm(1), block.norm(2)

    def around(
        order: str = norm,
        attend: Part = attend,
        ffn: Part = ffn,
        first: Part = first,
        second: Part = second,
    ) -> Tensor:
        if order == "pre":
            h = x + attend(first(x))
            return h + ffn(second(h))
        h = first(x + attend(x))
        return second(h + ffn(h))

    def same(x: Tensor) -> Tensor:
        return x

    def normed_residual(*parts: int) -> Tensor:
        h = (first(x) if 1 in parts else x) + attend(first(x))
        return (second(h) if 2 in parts else h) + ffn(second(h))

    right = around()
    found: dict[str, Tensor] = {
        "pre": {
            "This is the post-norm block. Pre-norm normalises the input of each part, and "
            "nothing after the sum.": around("post"),
            "In both parts, your residual is the normalised token. Add the part's output to the "
            "token as it was before the norm.": normed_residual(1, 2),
            "Your attention's residual is the normalised token. Add attention's output to the "
            "token as it was before the norm.": normed_residual(1),
            "Your feed-forward layer's residual is the normalised token. Add its output to the "
            "token as it was before the norm.": normed_residual(2),
            "Keys and values are made of tokens that were not normalised. Make queries, keys "
            "and values of the normalised tokens.": around(attend=block.attention(source=x)),
            "Your code normalises the output once more. A stack of pre-norm blocks does that "
            "once at its end, not in each block.": second(right),
            "You normalise the output of each part, before the sum. Pre-norm normalises its "
            "input.": _behind(x, attend, ffn, first, second),
        },
        "post": {
            "This is the pre-norm block. Post-norm normalises the sum of a token and the part's "
            "output.": around("pre"),
            "You normalise the output of each part, before the sum. Post-norm normalises the "
            "sum.": _behind(x, attend, ffn, first, second),
        },
    }[norm]
    h = x + attend(first(x)) if norm == "pre" else first(x + attend(x))
    bare = first(attend(x)) if norm == "post" else attend(first(x))
    alone = {
        "The residual connection around attention is missing: x + ... .": (
            second(bare + ffn(bare)) if norm == "post" else bare + ffn(second(bare))
        ),
        "The residual connection around the feed-forward layer is missing: h + ... .": (
            second(ffn(h)) if norm == "post" else ffn(second(h))
        ),
        "Both residual connections are missing.": (
            second(ffn(bare)) if norm == "post" else ffn(second(bare))
        ),
        "The feed-forward layer reads the block's input. It must read the result of the "
        "attention part.": (second(h + ffn(x)) if norm == "post" else h + ffn(second(x))),
        "The feed-forward layer's residual is the block's input. It must be the result of the "
        "attention part.": second(x + ffn(h)) if norm == "post" else x + ffn(second(h)),
        "Your block starts with the feed-forward layer and its norm. Attention comes first.": (
            first(second(x + ffn(x)) + attend(second(x + ffn(x))))
            if norm == "post"
            else (x + ffn(second(x))) + attend(first(x + ffn(second(x))))
        ),
        "Your block starts with the feed-forward layer. Attention comes first.": (
            second(first(x + ffn(x)) + attend(first(x + ffn(x))))
            if norm == "post"
            else (x + ffn(first(x))) + attend(second(x + ffn(first(x))))
        ),
        "This is the block after attention. The feed-forward layer is missing.": h,
        "Attention is missing.": around(attend=torch.zeros_like),
    }
    norms = {
        "Both norms are missing.": around(first=same, second=same),
        "The first norm is missing.": around(first=same),
        "The second norm is missing.": around(second=same),
        "The two norms are swapped: gain_1 and bias_1 belong to attention, gain_2 and bias_2 to "
        "the feed-forward layer.": around(first=second, second=first),
        "The first norm's gain and bias are used for both norms.": around(second=first),
        "The second norm's gain and bias are used for both norms.": around(first=second),
        "The norms' gains and biases are missing.": around(first=block.bare, second=block.bare),
        "Your norms divide by D - 1. The variance is the mean of the squares, so divide "
        "by D.": around(first=block.norm(1, unbiased=True), second=block.norm(2, unbiased=True)),
        "Your norms run over the tokens. Normalise each token over its own D numbers.": around(
            first=block.norm(1, axis=1), second=block.norm(2, axis=1)
        ),
        "Your norms take one mean and one variance for a whole sequence. Each token has its own.": (
            around(first=block.norm(1, axis=(1, 2)), second=block.norm(2, axis=(1, 2)))
        ),
        "ε is 1e-6 in your norms. Here it is 1e-5.": around(
            first=block.norm(1, eps=1e-6), second=block.norm(2, eps=1e-6)
        ),
        "ε is missing from your norms. Here it is 1e-5.": around(
            first=block.norm(1, eps=0.0), second=block.norm(2, eps=0.0)
        ),
    }
    parts = {
        "The ReLU is missing. Without it, the two matrices of the feed-forward layer amount to "
        "one.": (around(ffn=block.net(same))),
        "You use a GELU. The feed-forward layer has a ReLU here.": around(
            ffn=block.net(torch.nn.functional.gelu)
        ),
        "Your ReLU comes after the second matrix. It belongs between the two.": around(
            ffn=lambda x: ((x @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]).relu()
        ),
        "The biases of the feed-forward layer are missing.": around(
            ffn=lambda x: (x @ w["W_1"]).relu() @ w["W_2"]
        ),
        "b_1 is missing.": around(ffn=lambda x: (x @ w["W_1"]).relu() @ w["W_2"] + w["b_2"]),
        "b_2 is missing.": around(ffn=lambda x: ffn(x) - w["b_2"]),
        "The scores are not scaled: divide by √d_k.": around(attend=block.attention(factor=1.0)),
        "The scores are divided by √D. Divide by √K, where K is the width of one head.": around(
            attend=block.attention(factor=x.shape[-1] ** -0.5)
        ),
        "The scores are divided by √(H · K), from the width of all heads together. Divide by "
        "√K, where K is the width of one head.": around(
            attend=block.attention(factor=w["W_Q"].shape[-1] ** -0.5)
        ),
        "The scores are divided by the root of D // H. Divide by √K: H · K need not be D.": around(
            attend=block.attention(factor=max(1, x.shape[-1] // heads) ** -0.5)
        ),
        "Your code treats all heads as one. Split the columns into heads.": around(
            attend=block.attention(heads=1)
        ),
        "Your code interleaves the heads' columns. A head's columns are side by side.": around(
            attend=block.attention(split="interleaved", merge="interleaved")
        ),
        "You interleave the heads' columns when you split them, but not when you join them. A "
        "head's columns are side by side.": around(attend=block.attention(split="interleaved")),
        "You reshape the columns straight to (B, H, T, K), which mixes the tokens. Reshape to "
        "(B, T, H, K), then swap the axes of tokens and heads.": around(
            attend=block.attention(split="mixed")
        ),
        "You reshape straight to (B, H, T, K) and straight back, so a head gets all columns of "
        "some tokens. Reshape to (B, T, H, K), then swap the axes of tokens and heads.": around(
            attend=block.attention(split="mixed", merge="mixed")
        ),
        "You join the heads in the wrong order: transpose (B, H, T, K) to (B, T, H, K) before "
        "you flatten the heads.": around(attend=block.attention(merge="mixed")),
        "The values are made with W_K. Use W_V.": around(attend=block.attention(values="W_K")),
        "Your weights sum to 1 over the queries, not over the keys.": around(
            attend=block.attention(axis=-2)
        ),
        "W_O is missing: multiply the joined heads by it.": (
            around(attend=block.attention(out=False)) if block.square else right
        ),
    }
    if mask is None:
        before = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        parts["Your code hides later tokens though mask is None. None allows all."] = around(
            attend=block.attention(mask=before)
        )
    else:
        parts |= {
            "The mask is ignored.": around(attend=block.attention(mask=None)),
            "Your mask is the wrong way round: True = may be attended to.": around(
                attend=block.attention(mask=~mask)
            ),
            "The mask is transposed: row t says what token t may attend to.": around(
                attend=block.attention(mask=mask.mT)
            ),
            "Your code applies the mask after the softmax, so the weights no longer sum "
            "to 1. Set the masked scores to -∞ before the softmax.": around(
                attend=block.attention(weigh=lambda scores: scores.softmax(-1) * mask)
            ),
            "The scores are multiplied by the mask, so hidden scores become 0, and exp(0) = 1 "
            "is not a small weight. Set them to -∞.": around(
                attend=block.attention(weigh=lambda scores: (scores * mask).softmax(-1))
            ),
        }
    return told_once(others(found | alone | norms | parts, right))


class _Blocks:
    """The parts of a block with these weights, rightly made and wrongly."""

    def __init__(self, w: Mapping[str, Tensor], heads: int, mask: Tensor | None, eps: float):
        self.w, self.heads, self.mask, self.eps = w, heads, mask, eps
        self.square = w["W_O"].shape[0] == w["W_O"].shape[1]
        self.attend, self.ffn = self.attention(mask=mask), self.net(torch.relu)

    def bare(
        self,
        x: Tensor,
        axis: int | tuple[int, ...] = -1,
        unbiased: bool = False,
        eps: float | None = None,
    ) -> Tensor:
        if unbiased and x.shape[-1] == 1:
            return torch.full_like(x, math.nan)
        spread = x.var(axis, correction=int(unbiased), keepdim=True)
        spread = spread + (self.eps if eps is None else eps)
        return (x - x.mean(axis, keepdim=True)) / spread.sqrt()

    def norm(
        self,
        n: int,
        axis: int | tuple[int, ...] = -1,
        unbiased: bool = False,
        eps: float | None = None,
    ) -> Part:
        gain, bias = self.w[f"gain_{n}"], self.w[f"bias_{n}"]
        return lambda x: self.bare(x, axis, unbiased, eps) * gain + bias

    def net(self, between: Part) -> Part:
        w = self.w
        return lambda x: between(x @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]

    def attention(
        self,
        *,
        heads: int | None = None,
        factor: float | None = None,
        mask: Tensor | None | str = "given",
        axis: int = -1,
        split: str = "turned",
        merge: str = "turned",
        values: str = "W_V",
        source: Tensor | None = None,
        weigh: Part | None = None,
        out: bool = True,
    ) -> Part:
        """Attention, right unless told otherwise.

        ``split`` and ``merge`` say how columns become heads and heads columns: ``"turned"`` is
        right. Keys and values are made of ``source`` where it is given; ``weigh`` makes weights of
        the scores in its own way.
        """
        heads = heads or self.heads
        mask = self.mask if isinstance(mask, str) else mask

        def masked(scores: Tensor) -> Tensor:
            hidden = scores if mask is None else scores.masked_fill(~mask, -math.inf)
            return hidden.softmax(axis)

        def attend(x: Tensor) -> Tensor:
            other = x if source is None else source
            made = x @ self.w["W_Q"], other @ self.w["W_K"], other @ self.w[values]
            Q, K, V = (_into_heads(columns, heads, split) for columns in made)
            scores = Q @ K.mT * (Q.shape[-1] ** -0.5 if factor is None else factor)
            found = _out_of_heads((weigh or masked)(scores).nan_to_num() @ V, merge)
            return found @ self.w["W_O"] if out else found

        return attend


def _into_heads(columns: Tensor, heads: int, how: str) -> Tensor:
    """``(B, T, H * K)`` to ``(B, H, T, K)``, rightly where ``how`` is ``"turned"``."""
    if how == "interleaved":
        return columns.unflatten(-1, (-1, heads)).movedim(-1, 1)
    if how == "mixed":
        return columns.reshape(len(columns), heads, columns.shape[1], -1)
    return columns.unflatten(-1, (heads, -1)).transpose(1, 2)


def _out_of_heads(found: Tensor, how: str) -> Tensor:
    """``(B, H, T, K)`` to ``(B, T, H * K)``, rightly where ``how`` is ``"turned"``."""
    if how == "interleaved":
        return found.permute(0, 2, 3, 1).flatten(2)
    if how == "mixed":
        return found.reshape(len(found), found.shape[2], -1)
    return found.transpose(1, 2).flatten(2)


def _behind(x: Tensor, attend: Part, ffn: Part, first: Part, second: Part) -> Tensor:
    h = x + first(attend(x))
    return h + second(ffn(h))
