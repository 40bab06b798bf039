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
        "You count one head. Each matrix of attention has the columns of all H heads.": (
            4 * D * K + ffn + norms
        ),
        "You use D as the width of all heads together. It is H · K.": 4 * D * D + ffn + norms,
        "W_O is missing: attention has four matrices.": right - D * inner,
        "You count D · D numbers in W_O. It has H · K · D.": right - D * inner + D * D,
        "You count W_O for each head. There is one, for all of them.": right + (H - 1) * D * inner,
        "You count biases in attention. There are none here.": right + 3 * inner + D,
        "You count a bias of H · K numbers for each matrix of attention. There are none here.": (
            right + 4 * inner
        ),
        "The feed-forward layer's biases are missing: F and D numbers.": right - F - D,
        "b_1 is missing, with F numbers: the feed-forward layer has two biases.": right - F,
        "b_2 is missing, with D numbers: the feed-forward layer has two biases.": right - D,
        "You count D numbers in both biases of the feed-forward layer. b_1 has F.": right - F + D,
        "You count F numbers in both biases of the feed-forward layer. b_2 has D.": right - D + F,
        "The feed-forward layer has two matrices, W_1 and W_2. You count one.": right - D * F,
        "The norms are missing: there are two, each with a gain and a bias.": right - norms,
        "One norm is missing: there are two.": right - 2 * D,
        "A norm has a gain and a bias. You count only one of them.": right - 2 * D,
        "You count attention alone.": 4 * D * inner,
        "You count the matrices alone. Gains and biases are parameters, too.": 4 * D * inner
        + 2 * D * F,
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
    share = "That is the count for one token. T tokens pass through the block."
    found: dict[str, dict[str, float]] = {
        "projections": {
            "You count a multiplication and its addition as one operation. They are two.": 4
            * T
            * D
            * inner,
            share: 8 * D * inner,
            "W_O is missing: it takes as many operations as W_Q.": 6 * T * D * inner,
            "You count one head. There are H.": 8 * T * D * K,
            "You use D as the width of all heads together. It is H · K.": 8 * T * D * D,
            "You count only one of the four matrices.": 2 * T * D * inner,
            'You include the scores and the weighted sums. They belong to "attention".': (
                8 * T * D * inner + 4 * T * T * inner
            ),
        },
        "attention": {
            "Half of it is missing. Did you count both the scores and the weighted sums? A "
            "multiplication and its addition are two operations.": 2 * T * T * inner,
            "You count one head. Each of the H heads has its own scores.": 4 * T * T * K,
            "You use D as the width of all heads together. It is H · K.": 4 * T * T * D,
            "You count T scores. T queries meet T keys, which makes T · T scores.": 4 * T * inner,
            "Each score is a sum of K products. You count one operation for each score.": 4
            * T
            * T
            * H,
            "You count only keys up to the query. There is no mask, so all T · T scores count.": (
                2 * T * (T + 1) * inner
            ),
        },
        "ffn": {
            "Half of it is missing. Did you count both W_1 and W_2? A multiplication and its "
            "addition are two operations.": 2 * T * D * F,
            share: 4 * D * F,
            "You count the biases. Only matrix products count.": 4 * T * D * F + T * (F + D),
            "You assume F = 4 D. F is given.": 16 * T * D * D,
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
        'At your T, "attention" costs as much as "ffn". It must cost as much as "projections" '
        'and "ffn" together.': D * F / inner,
        'At your T, "attention" costs as much as "projections". It must cost as much as '
        '"projections" and "ffn" together.': 2 * D,
        "That is right if F = 4 D and H · K = D. Here they are given.": 6 * D,
        'At your T, "attention" is a third of the block. To be half, it must equal the others '
        "together.": right / 2,
        'At your T, "attention" is two thirds of the block.': 2 * right,
        "That is right if H · K = D. Here H and K are given.": 2 * D + F,
        "You round the length down to a whole number. Do not round it.": math.floor(right),
        "You round the length up to a whole number. Do not round it.": math.ceil(right),
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


# -- the schedule ----------------------------------------------------------------------------------


@later
def rate_mistakes(step: float, d_model: int, warmup: int) -> dict[str, float]:
    """What known mistakes make of a learning rate: message → rate."""
    rise, fall = step * warmup**-1.5, step**-0.5
    found: dict[str, float] = {
        "d_model is missing: wider models take smaller steps.": min(rise, fall),
        "You multiply by √d_model. Divide by it: wider models take smaller steps.": (
            d_model**0.5 * min(rise, fall)
        ),
        "You divide by d_model. Divide by its square root.": min(rise, fall) / d_model,
        "Your rise has the wrong slope: it is step / warmup^1.5, so that rise and fall meet at "
        "step warmup.": (d_model**-0.5 * min(step / warmup, fall)),
        "Your rise divides by √warmup. It is step / warmup^1.5.": (
            d_model**-0.5 * min(step * warmup**-0.5, fall)
        ),
        "After step warmup, 1/√step is the smaller term, and the smaller one counts. Yours is "
        "the rise. Does your fall divide by √step?": d_model**-0.5 * rise,
        "Before step warmup, step / warmup^1.5 is the smaller term, and the smaller one counts. "
        "Yours is the fall. Does your rise divide by warmup^1.5?": (d_model**-0.5 * fall),
        "You raise step · warmup to the power. Raise warmup alone: step · warmup^(-1.5).": (
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
        found["Your steps count from 0. The first step is step 1."] = d_model**-0.5 * min(
            (step - 1) * warmup**-1.5, (step - 1) ** -0.5
        )
    else:
        found[
            "Your rate is 0. Do your steps count from 0? The first step is step 1. Or does a "
            "`//` round down?"
        ] = 0.0
    right = d_model**-0.5 * min(rise, fall)
    return told_once({m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)})


@later
def factor_mistakes(peak: float, d_model: int, warmup: int) -> dict[str, float]:
    """What known mistakes make of the factor for a given peak: message → factor."""
    right = peak * (d_model * warmup) ** 0.5
    found = {
        "You return the desired peak. The schedule's own peak is not 1.": peak,
        "You return the schedule's own peak. By what must you multiply it to get the desired "
        "peak?": (d_model * warmup) ** -0.5,
        "The factor is inverted: divide the desired peak by the schedule's own peak.": 1 / right,
        "You multiply by the schedule's own peak. Divide by it.": peak * (d_model * warmup) ** -0.5,
        "warmup is missing: a longer warm-up has a lower peak.": peak * d_model**0.5,
        "d_model is missing: a wider model has a lower peak.": peak * warmup**0.5,
        "A square root is missing: the schedule's own peak is 1/√(d_model · warmup).": peak
        * d_model
        * warmup,
        "Your factor gives the rate of step 1 that value. The peak is at step warmup.": (
            peak * d_model**0.5 * warmup**1.5
        ),
    }
    return told_once({m: wrong for m, wrong in found.items() if not math.isclose(wrong, right)})
