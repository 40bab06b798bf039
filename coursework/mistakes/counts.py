"""Mistakes in counting what a block costs and in warming up a rate, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. Mistakes
whose numbers are the same are told together.
"""

from __future__ import annotations

import math

from coursework.mistakes.later import later
from coursework.mistakes.telling import told_once


@later
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
        "You count D · D numbers in W_O. It has H · K · D.": right - D * inner + D * D,
        "W_O is counted for each head: there is one, for all of them.": right + (H - 1) * D * inner,
        "You count biases in attention. It has none here.": right + 3 * inner + D,
        "You count a bias of H · K numbers for each matrix of attention. It has none here.": (
            right + 4 * inner
        ),
        "The feed-forward layer's biases are missing, F and D numbers.": right - F - D,
        "b_1 is missing, with F numbers: the feed-forward layer has two biases.": right - F,
        "b_2 is missing, with D numbers: the feed-forward layer has two biases.": right - D,
        "You count D numbers in both biases of the feed-forward layer. b_1 has F.": right - F + D,
        "You count F numbers in both biases of the feed-forward layer. b_2 has D.": right - D + F,
        "One matrix of the feed-forward layer is missing: W_1 and W_2.": right - D * F,
        "The norms are missing: two, with a gain and a bias each.": right - norms,
        "One norm is missing: there are two.": right - 2 * D,
        "A norm has a gain and a bias: you count one of the two.": right - 2 * D,
        "This is attention alone.": 4 * D * inner,
        "This is the matrices alone: vectors are parameters too.": 4 * D * inner + 2 * D * F,
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


@later
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
            "You count a multiplication with its addition as one operation. They are two.": 4
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
            "Only keys up to the query are counted: there is no mask, all T · T scores are.": (
                2 * T * (T + 1) * inner
            ),
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
        part: told_once({message: wrong for message, wrong in told.items() if wrong != right[part]})
        for part, told in found.items()
    }


@later
def half_mistakes(D: int, H: int, K: int, F: int) -> dict[str, float]:
    """What known mistakes make of the length at which attention is half of it: message → T."""
    inner = H * K
    right = 2 * D + D * F / inner
    found = {
        "There the attention proper costs as much as the feed-forward layer: half of the block "
        "means as much as the projections and the feed-forward layer together.": D * F / inner,
        "There it costs as much as the projections: half of the block means as much as the "
        "projections and the feed-forward layer together.": 2 * D,
        "That is right where F = 4 D and H · K = D; here they are given.": 6 * D,
        "There it is a third of the block: twice the others' share is not half of all.": right / 2,
        "There it is two thirds of the block.": 2 * right,
        "That is right where H · K = D; here it is given.": 2 * D + F,
        "The length is cut to a whole number: give it as it is.": math.floor(right),
        "The length is rounded up to a whole number: give it as it is.": math.ceil(right),
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


# -- the schedule ----------------------------------------------------------------------------------


@later
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
        "counts: you take the rise. Does your fall divide by √step?": d_model**-0.5 * rise,
        "Before step warmup the rise, step / warmup^1.5, is the smaller of the two, and the "
        "smaller one counts: you take the fall. Does your rise divide by warmup^1.5?": (
            d_model**-0.5 * fall
        ),
        "You take step · warmup to the power: it is warmup alone, step · warmup^(-1.5).": (
            d_model**-0.5 * min((step * warmup) ** -1.5, fall)
        ),
        "Your rate stays at its peak. After warmup steps it falls as 1/√step.": (
            d_model**-0.5 * min(rise, warmup**-0.5)
        ),
        "Your rate falls as 1/step. It should fall as 1/√step.": (
            d_model**-0.5 * min(rise, warmup**0.5 / step)
        ),
        "You are one step ahead: this is the rate of step + 1.": (
            d_model**-0.5 * min((step + 1) * warmup**-1.5, (step + 1) ** -0.5)
        ),
    }
    if step > 1:
        found["Your steps count from 0: the first step is step 1."] = d_model**-0.5 * min(
            (step - 1) * warmup**-1.5, (step - 1) ** -0.5
        )
    else:
        found[
            "It is 0. Do your steps count from 0? The first step is step 1. Or does a `//` cut "
            "something to a whole number?"
        ] = 0.0
    right = d_model**-0.5 * min(rise, fall)
    return told_once({m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)})


@later
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
    return told_once({m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)})
