"""Mistakes in smoothing labels and in warming up a learning rate, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

# -- label smoothing -------------------------------------------------------------------------------


@later
def smoothed_mistakes(logits: Tensor, says: Tensor, epsilon: float, pad: int) -> dict[str, Tensor]:
    """What known mistakes make of a loss with label smoothing: message → the loss.

    Parameters
    ----------
    logits, says:
        Scores ``(B, T, V)`` and the right ids ``(B, T)``; positions where they are ``pad`` do not
        count.
    epsilon:
        What is spread over all V words.
    """
    V, real = logits.shape[-1], says != pad
    log_p = logits.log_softmax(-1)
    right_word = torch.nn.functional.one_hot(says, V).to(logits.dtype)
    other = torch.ones_like(right_word) - right_word
    padding = torch.zeros_like(right_word)
    padding[..., pad] = 1.0

    def crossed(target: Tensor, predicted: Tensor = log_p) -> Tensor:
        return -(target * predicted).sum(-1)

    target = (1 - epsilon) * right_word + epsilon / V
    each = crossed(target)
    right, plain, even = each[real].mean(), crossed(right_word), -log_p.mean(-1)
    rows, counts = (each * real).sum(1), real.sum(1)
    found = {
        "The smoothing is missing: this is the plain cross-entropy.": plain[real].mean(),
        "Your code spreads ε over the V - 1 other words. Here the right word gets its ε/V, too.": (
            crossed((1 - epsilon) * right_word + epsilon / (V - 1) * other)[real].mean()
        ),
        "Your code gives the padding's class no share. Here it is one of the V classes like any "
        "other.": (
            crossed((1 - epsilon) * right_word + epsilon / (V - 1) * (1 - padding))[real].mean()
        ),
        "Your code spreads ε over V - 2 words, without the right one and the padding. Here it "
        "is spread over all V.": crossed(
            (1 - epsilon) * right_word + epsilon / (V - 2) * other * (1 - padding)
        )[real].mean(),
        "Your right word keeps all of its 1, so the target sums to 1 + ε. It must give ε "
        "away.": crossed(right_word + epsilon / V)[real].mean(),
        "You do not divide ε by V. The words share it.": (
            crossed((1 - epsilon) * right_word + epsilon)[real].mean()
        ),
        "You take ε from the right word but give it to no word. All V words share it.": (
            (1 - epsilon) * plain[real].mean()
        ),
        "This is only the part of the uniform distribution.": even[real].mean(),
        "1 - ε and ε are swapped.": (
            epsilon * plain[real].mean() + (1 - epsilon) * even[real].mean()
        ),
        "You smooth the prediction. Smooth the target.": (
            crossed(right_word, ((1 - epsilon) * log_p.exp() + epsilon / V).log())[real].mean()
        ),
        "Your mean includes padding. Take it over the real words alone.": each.mean(),
        "Padding adds nothing to your sum, but you still count it in N. N is the number of real "
        "words.": (each * real).mean(),
        "The uniform part still counts padding. Leave padding out of both parts.": (
            ((1 - epsilon) * plain * real + epsilon * even).sum() / real.sum()
        ),
        "You take the mean of the sentences' means. Every word must count the same.": (
            (rows / counts.clamp(min=1))[counts > 0].mean()
        ),
        "You sum over each sentence and average over the sentences. Take the mean over all real "
        "words.": rows.mean(),
        "Your loss is the sum. Return the mean over the real words.": rows.sum(),
        "This is the KL divergence, which is smaller by the entropy of the target. Return the "
        "cross-entropy.": (each[real] + _entropy(target)[real]).mean(),
        "The sign is wrong: a loss is at least 0.": -right,
        "The softmax is missing: you use logits instead of log-probabilities.": (
            crossed(target, logits)[real].mean()
        ),
        "You take a softmax twice. The log_softmax of probabilities is not log P.": (
            crossed(target, log_p.exp().log_softmax(-1))[real].mean()
        ),
        "You use probabilities instead of their logarithms.": (
            crossed(target, log_p.exp())[real].mean()
        ),
        "Your softmax runs over the positions. It must run over the words.": (
            crossed(target, logits.log_softmax(1))[real].mean()
        ),
        "The loss is in bits: take the natural logarithm.": right / math.log(2),
        "This is the perplexity. Return its logarithm.": right.exp(),
    }
    return told_once(others(found, right))


@later
def lowest_mistakes(V: int, epsilon: float) -> Mapping[str, float]:
    """What known mistakes make of the lowest loss that there can be: message → the loss."""
    share = epsilon / V
    top = 1 - epsilon + share
    others = -(V - 1) * share * math.log(share) if epsilon else 0.0
    right = others - top * math.log(top)
    found = {
        "That is the lowest loss without smoothing. With smoothing, a model that is sure of the "
        "right word pays for all the others.": 0.0,
        "That is only the right word's part. Add the parts of the V - 1 others.": -top
        * math.log(top),
        "That is only the others' part. Add that of the right word.": others,
        "That is the loss of a model that gives all words the same probability. It can do "
        "better.": math.log(V),
        "That is -log P of the right word alone. Each word counts with its share of the target.": (
            -math.log(top)
        ),
        "The right word gets its ε/V, too: it has 1 - ε + ε/V.": (
            others - (1 - epsilon) * math.log(1 - epsilon)
        ),
        "That holds if ε is spread over the V - 1 other words. Here it is spread over all V.": (
            -(1 - epsilon) * math.log(1 - epsilon)
            - (epsilon * math.log(epsilon / (V - 1)) if epsilon else 0.0)
        ),
        "There are V - 1 other words. You count V.": right
        - (share * math.log(share) if epsilon else 0.0),
        "There are V - 1 other words. You count one.": -top * math.log(top) + others / (V - 1),
        "The loss is in bits: take the natural logarithm.": right / math.log(2),
        "The sign is wrong: a loss is at least 0.": -right,
    }
    return other_numbers(found, right)


def _entropy(target: Tensor) -> Tensor:
    return torch.special.entr(target).sum(-1).neg()


# -- the schedule ----------------------------------------------------------------------------------


@later
def rate_mistakes(batch: int, every: int, d_model: int, warmup: int) -> Mapping[str, float]:
    """What known mistakes make of the rate of the update that a batch goes into."""

    def noam(step: float) -> float:
        fall = step**-0.5 if step > 0 else math.inf
        return d_model**-0.5 * min(fall, step * warmup**-1.5)

    step = batch // every + 1
    found = {
        "Your updates count from 0. The first one is step 1 of the formula.": noam(step - 1),
        "You are one update ahead. Batches count from 0, so the first `every` of them make "
        "update 1.": noam(step + 1),
        "Your code takes a step for each batch. There is one update for every `every` batches.": (
            noam(batch + 1)
        ),
        "In your code the last batch of each update already has the next update's rate. Batches "
        "count from 0.": noam((batch + 1) // every + 1),
        "The first batch of each update still has the rate of the update before.": noam(
            max(-(-batch // every), 1)
        ),
        "Your step is not a whole number. All batches of an update have one rate.": noam(
            (batch + 1) / every
        ),
        "Your code multiplies the steps by `every`. Many batches make one step.": noam(
            batch * every + 1
        ),
        "d_model is missing: wider models take smaller steps.": noam(step) * d_model**0.5,
        "You multiply by √d_model. Divide by it: wider models take smaller steps.": (
            noam(step) * d_model
        ),
        "You take the larger of the two. The smaller one counts.": (
            d_model**-0.5 * max(step**-0.5, step * warmup**-1.5)
        ),
        "Your rate stays at its peak. After warmup steps it falls as 1/√step.": (
            noam(min(step, warmup))
        ),
        "Your rise has the wrong slope: it is step / warmup^1.5, so that rise and fall meet at "
        "step warmup.": (d_model**-0.5 * min(step / warmup, step**-0.5)),
    }
    return other_numbers(found, noam(step))


@later
def share_mistakes(updates: int, warmup: int) -> Mapping[str, float]:
    """What known mistakes make of the share of the way that is gone in the rise."""
    rates = [min(s**-0.5, s * warmup**-1.5) for s in range(1, updates + 1)]
    right = sum(rates[:warmup]) / sum(rates)
    found = {
        "That is the share of the updates. Weight each update by its rate.": min(
            warmup / updates, 1.0
        ),
        "The update at the peak is missing. The rise is updates 1 to warmup, both included.": (
            sum(rates[: warmup - 1]) / sum(rates)
        ),
        "You count one update too many as rise. It is updates 1 to warmup.": (
            sum(rates[: warmup + 1]) / sum(rates)
        ),
        "The last update is missing from the sum of all rates.": (
            sum(rates[:warmup]) / sum(rates[:-1]) if updates > 1 else right
        ),
        "That is the share of the fall. Return that of the rise.": 1 - right,
        "You divide the rise by the fall. Divide it by the sum of all rates.": (
            right / (1 - right) if right < 1 else right
        ),
        "That is the sum of the rise. Divide it by the sum of all rates.": sum(rates[:warmup]),
        "Your rate rises for ever. After warmup updates it falls.": (
            min(warmup, updates) * (min(warmup, updates) + 1) / (updates * (updates + 1))
        ),
        "You use an integral, which is only approximate. Add up the rates.": (
            (warmup**0.5 / 2) / (warmup**0.5 / 2 + 2 * (updates**0.5 - warmup**0.5))
            if updates > warmup
            else right
        ),
    }
    return other_numbers(found, right)


@later
def other_numbers(found: dict[str, float], right: float) -> dict[str, float]:
    """Without those that come to the right answer for these numbers; the like in one message."""
    return told_once(
        {
            message: wrong
            for message, wrong in found.items()
            if not math.isclose(wrong, right, rel_tol=1e-9, abs_tol=1e-12)
        }
    )
