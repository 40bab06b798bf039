"""Wrong ways to put a block together, to count what it costs and to warm a learning rate up that
learners are known to take, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`tfcourse.grading.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from tfcourse.grading.mistakes.telling import others

Part = Callable[[Tensor], Tensor]


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

    def inside_of(part: Part) -> Part:
        """With what this makes, ``x + ...`` gives the part alone: the residual is gone."""
        return lambda x: part(x) - x

    right = around()
    found: dict[str, Tensor] = {
        "pre": {
            "This is the post-norm block: pre-norm normalises what goes into a part, and nothing "
            "after the sum.": around("post"),
            "The residual is the normalised token with you: what a part gives is added to the "
            "token as it came, before the norm.": _normed_residual(x, attend, ffn, first, second),
            "The output is normalised once more with you: that is done once, at the end of a stack "
            "of pre-norm blocks, and not in the block.": second(right),
            "The norms stand behind the parts, before the sum: in pre-norm they stand in front of "
            "the parts.": _behind(x, attend, ffn, first, second),
        },
        "post": {
            "This is the pre-norm block: post-norm normalises the sum of a token and what the part "
            "makes of it.": around("pre"),
            "The norms stand behind the parts, before the sum: in post-norm it is the sum that is "
            "normalised.": _behind(x, attend, ffn, first, second),
        },
    }[norm]
    h = x + attend(first(x)) if norm == "pre" else first(x + attend(x))
    alone = {
        "The residual round attention is missing: x + ... .": (
            around(attend=inside_of(attend))
            if norm == "post"
            else (attend(first(x)) + ffn(second(attend(first(x)))))
        ),
        "The residual round the feed-forward layer is missing: h + ... .": (
            second(ffn(h)) if norm == "post" else ffn(second(h))
        ),
        "Both residuals are missing.": (
            second(ffn(first(attend(x)))) if norm == "post" else ffn(second(attend(first(x))))
        ),
        "The feed-forward layer reads what came into the block: it reads what attention left.": (
            second(h + ffn(x)) if norm == "post" else h + ffn(second(x))
        ),
        "The feed-forward layer comes first with you: attention does.": (
            second(first(x + ffn(x)) + attend(first(x + ffn(x))))
            if norm == "post"
            else (x + ffn(first(x))) + attend(second(x + ffn(first(x))))
        ),
        "This is the block after attention: the feed-forward layer is missing.": h,
        "Attention is missing.": around(attend=torch.zeros_like),
    }
    norms = {
        "Both norms are missing.": around(first=same, second=same),
        "The first norm is missing.": around(first=same),
        "The second norm is missing.": around(second=same),
        "The two norms have changed places: gain_1 and bias_1 are attention's, gain_2 and bias_2 "
        "the feed-forward layer's.": around(first=second, second=first),
        "The first norm's gain and bias are used twice.": around(second=first),
        "The second norm's gain and bias are used twice.": around(first=second),
        "The norms' gains and biases are missing.": around(first=block.bare, second=block.bare),
        "The norms divide by D - 1 with you: the variance is the mean of the squares.": around(
            first=block.norm(1, unbiased=True), second=block.norm(2, unbiased=True)
        ),
        "The norms run over the tokens: each token is normalised over its own D numbers.": around(
            first=block.norm(1, axis=1), second=block.norm(2, axis=1)
        ),
    }
    parts = {
        "The ReLU is missing: without it the two matrices of the feed-forward layer are one.": (
            around(ffn=block.net(same))
        ),
        "This is a GELU: the feed-forward layer has a ReLU here.": around(
            ffn=block.net(torch.nn.functional.gelu)
        ),
        "The ReLU comes after the second matrix: it stands between the two.": around(
            ffn=lambda x: ((x @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]).relu()
        ),
        "The biases of the feed-forward layer are missing.": around(
            ffn=lambda x: (x @ w["W_1"]).relu() @ w["W_2"]
        ),
        "b_1 is missing.": around(ffn=lambda x: (x @ w["W_1"]).relu() @ w["W_2"] + w["b_2"]),
        "b_2 is missing.": around(ffn=lambda x: ffn(x) - w["b_2"]),
        "The scores are not scaled: divide by √d_k.": around(attend=block.attention(factor=1.0)),
        "The scores are divided by the root of D: it is the root of a head's own width.": around(
            attend=block.attention(factor=x.shape[-1] ** -0.5)
        ),
        "All heads are one with you: split the columns into heads.": around(
            attend=block.attention(heads=1)
        ),
        "The heads' columns are interleaved with you: a head's columns stand side by side.": around(
            attend=block.attention(interleaved=True)
        ),
        "The heads come back in the wrong order: (B, H, T, K) must become (B, T, H, K) before the "
        "heads are laid side by side.": around(attend=block.attention(unturned=True)),
        "Your weights sum to 1 over the queries, not over the keys.": around(
            attend=block.attention(axis=-2)
        ),
        "W_O is missing: what the heads found goes through it.": (
            around(attend=block.attention(out=False)) if block.square else right
        ),
    }
    if mask is not None:
        parts |= {
            "The mask is ignored.": around(attend=block.attention(mask=None)),
            "The wrong tokens are hidden: True = may be attended to.": around(
                attend=block.attention(mask=~mask)
            ),
        }
    return others(found | alone | norms | parts, right)


class _Blocks:
    """The parts of a block with these weights, rightly made and wrongly."""

    def __init__(self, w: Mapping[str, Tensor], heads: int, mask: Tensor | None, eps: float):
        self.w, self.heads, self.mask, self.eps = w, heads, mask, eps
        self.square = w["W_O"].shape[0] == w["W_O"].shape[1]
        self.attend, self.ffn = self.attention(mask=mask), self.net(torch.relu)

    def bare(self, x: Tensor, axis: int = -1, unbiased: bool = False) -> Tensor:
        if unbiased and x.shape[axis] == 1:
            return torch.full_like(x, math.nan)
        spread = x.var(axis, correction=int(unbiased), keepdim=True)
        return (x - x.mean(axis, keepdim=True)) / (spread + self.eps).sqrt()

    def norm(self, n: int, axis: int = -1, unbiased: bool = False) -> Part:
        gain, bias = self.w[f"gain_{n}"], self.w[f"bias_{n}"]
        return lambda x: self.bare(x, axis, unbiased) * gain + bias

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
        interleaved: bool = False,
        unturned: bool = False,
        out: bool = True,
    ) -> Part:
        heads = heads or self.heads
        mask = self.mask if isinstance(mask, str) else mask

        def split(columns: Tensor) -> Tensor:
            if interleaved:
                return columns.unflatten(-1, (-1, heads)).movedim(-1, 1)
            return columns.unflatten(-1, (heads, -1)).transpose(1, 2)

        def attend(x: Tensor) -> Tensor:
            Q, K, V = (split(x @ self.w[name]) for name in ("W_Q", "W_K", "W_V"))
            scores = Q @ K.mT * (Q.shape[-1] ** -0.5 if factor is None else factor)
            if mask is not None:
                scores = scores.masked_fill(~mask, -math.inf)
            found = scores.softmax(axis).nan_to_num() @ V
            B, H, T, K_v = found.shape
            if unturned:
                found = found.reshape(B, T, H * K_v)
            elif interleaved:
                found = found.permute(0, 2, 3, 1).flatten(2)
            else:
                found = found.transpose(1, 2).flatten(2)
            return found @ self.w["W_O"] if out else found

        return attend


def _normed_residual(x: Tensor, attend: Part, ffn: Part, first: Part, second: Part) -> Tensor:
    h = first(x) + attend(first(x))
    return second(h) + ffn(second(h))


def _behind(x: Tensor, attend: Part, ffn: Part, first: Part, second: Part) -> Tensor:
    h = x + first(attend(x))
    return h + second(ffn(h))


# -- what a block costs ----------------------------------------------------------------------------


def parameter_mistakes(D: int, H: int, K: int, F: int) -> dict[str, int]:
    """What known mistakes make of a block's number of parameters: message → number."""
    inner, ffn, norms = H * K, 2 * D * F + F + D, 4 * D
    right = 4 * D * inner + ffn + norms
    found = {
        "One head alone is counted: each matrix of attention has the columns of all H heads.": (
            4 * D * K + ffn + norms
        ),
        "You take D for the width of all heads together: it is H · K.": 4 * D * D + ffn + norms,
        "W_O is missing: attention has four matrices.": right - D * inner,
        "W_O is counted for each head: there is one, for all of them.": right + (H - 1) * D * inner,
        "Attention has biases with you: it has none here.": right + 3 * inner + D,
        "The feed-forward layer's biases are missing, F and D numbers.": right - F - D,
        "One matrix of the feed-forward layer is missing: W_1 and W_2.": right - D * F,
        "The norms are missing: two, with a gain and a bias each.": right - norms,
        "One norm is missing: there are two.": right - 2 * D,
        "A norm has a gain and a bias: you count one of the two.": right - 2 * D,
        "This is attention alone.": 4 * D * inner,
        "This is the matrices alone: vectors are parameters too.": 4 * D * inner + 2 * D * F,
    }
    return {message: wrong for message, wrong in found.items() if wrong != right}


def flop_mistakes(T: int, D: int, H: int, K: int, F: int) -> dict[str, dict[str, float]]:
    """What known mistakes make of the FLOPs of a block's parts: part → message → number."""
    inner = H * K
    right = {
        "projections": 8 * T * D * inner,
        "attention": 4 * T * T * inner,
        "ffn": 4 * T * D * F,
    }
    share = "This is one token's share: T tokens pass through the block."
    found: dict[str, dict[str, float]] = {
        "projections": {
            "A multiplication with its addition counts as one with you: they are two operations.": 4
            * T
            * D
            * inner,
            share: 8 * D * inner,
            "W_O is missing: it takes as much as W_Q.": 6 * T * D * inner,
            "One head alone is counted.": 8 * T * D * K,
            "You take D for the width of all heads together: it is H · K.": 8 * T * D * D,
            "Only one of the four matrices is counted.": 2 * T * D * inner,
            "The scores and the weighted sum are in it: they are a part of their own.": (
                8 * T * D * inner + 4 * T * T * inner
            ),
        },
        "attention": {
            "Half of it is missing. Are there the scores and also the weighted sum of the values? "
            "Does a multiplication with its addition count as two operations?": 2 * T * T * inner,
            "One head alone is counted: each of the H heads has scores of its own.": 4 * T * T * K,
            "You take D for the width of all heads together: it is H · K.": 4 * T * T * D,
            "Each of T queries meets T keys: T · T scores, where you have T.": 4 * T * inner,
            "The scores are counted without the numbers that each of them adds up.": 4 * T * T * H,
        },
        "ffn": {
            "Half of it is missing. Are there W_1 and also W_2? Does a multiplication with its "
            "addition count as two operations?": 2 * T * D * F,
            share: 4 * D * F,
            "The biases are counted: matrix products alone are.": 4 * T * D * F + T * (F + D),
            "F is taken to be 4 D: it is given.": 16 * T * D * D,
        },
    }
    return {
        part: {message: wrong for message, wrong in told.items() if wrong != right[part]}
        for part, told in found.items()
    }


def half_mistakes(D: int, H: int, K: int, F: int) -> dict[str, float]:
    """What known mistakes make of the length at which attention is half of it: message → T."""
    inner = H * K
    right = 2 * D + D * F / inner
    found = {
        "There the attention proper costs as much as the feed-forward layer: half of the block "
        "means as much as the projections and the feed-forward layer together.": D * F / inner,
        "There it costs as much as the projections: half of the block means as much as the "
        "projections and the feed-forward layer together.": 2 * D,
        "There it is a third of the block: twice the others' share is not half of all.": right / 2,
        "There it is two thirds of the block.": 2 * right,
        "That is right where F = 4 D and H · K = D; here they are given.": 6 * D,
        "That is right where H · K = D; here it is given.": 2 * D + F,
    }
    return {message: wrong for message, wrong in found.items() if wrong != right}


# -- the schedule ----------------------------------------------------------------------------------


def rate_mistakes(step: float, d_model: int, warmup: int) -> dict[str, float]:
    """What known mistakes make of a learning rate: message → rate."""
    rise, fall = step * warmup**-1.5, step**-0.5
    found: dict[str, float] = {
        "d_model is missing: wider models take smaller steps.": min(rise, fall),
        "You multiply by the root of d_model: wider models take smaller steps.": (
            d_model**0.5 * min(rise, fall)
        ),
        "You divide by d_model: it is its root.": min(rise, fall) / d_model,
        "The rise has another slope: it is step / warmup^1.5, so that the two meet at warmup.": (
            d_model**-0.5 * min(step / warmup, fall)
        ),
        "Your rise divides by the root of warmup: it is step / warmup^1.5.": (
            d_model**-0.5 * min(step * warmup**-0.5, fall)
        ),
        "After step warmup the fall, 1/√step, is the smaller of the two, and the smaller one "
        "counts: you take the rise.": d_model**-0.5 * rise,
        "Before step warmup the rise, step / warmup^1.5, is the smaller of the two, and the "
        "smaller one counts: you take the fall.": d_model**-0.5 * fall,
        "The rate stays at its peak with you: after warmup steps it falls as 1/√step.": (
            d_model**-0.5 * min(rise, warmup**-0.5)
        ),
        "The rate falls as 1/step with you: it falls as 1/√step.": (
            d_model**-0.5 * min(rise, warmup**0.5 / step)
        ),
        "Your steps count from 0: the first step is step 1.": (
            d_model**-0.5 * min((step - 1) * warmup**-1.5, (step - 1) ** -0.5 if step > 1 else 1.0)
        ),
        "You are one step ahead: this is the rate of step + 1.": (
            d_model**-0.5 * min((step + 1) * warmup**-1.5, (step + 1) ** -0.5)
        ),
    }
    right = d_model**-0.5 * min(rise, fall)
    return {m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)}


def factor_mistakes(peak: float, d_model: int, warmup: int) -> dict[str, float]:
    """What known mistakes make of the factor for a given peak: message → factor."""
    right = peak * (d_model * warmup) ** 0.5
    found = {
        "That is the peak itself: the schedule's own peak is not 1.": peak,
        "That is the schedule's own peak: by what must it be multiplied to give the one asked "
        "for?": (d_model * warmup) ** -0.5,
        "The factor is turned round: it multiplies the schedule's own peak.": 1 / right,
        "You multiply by the schedule's own peak: dividing by it is what is needed.": (
            peak * (d_model * warmup) ** -0.5
        ),
        "warmup is missing: the later the peak, the lower it is.": peak * d_model**0.5,
        "d_model is missing: the wider the model, the lower the peak.": peak * warmup**0.5,
        "The root is missing.": peak * d_model * warmup,
        "That makes the rate of step 1 the one asked for: the peak comes at step warmup.": (
            peak * d_model**0.5 * warmup**1.5
        ),
    }
    return {m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)}
