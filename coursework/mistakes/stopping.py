"""Wrong ways to end a beam search that learners are known to take, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.search import search_mistakes
from coursework.mistakes.telling import fitting, told_once

Searched = tuple[Tensor, float, int]
#: ``log_p, start, end, K, longest, alpha``.
Inputs = tuple[Tensor, int, int, int, int, float]


def found_in_steps(
    log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float, rule: str = "sound"
) -> tuple[Tensor, float, int]:
    """What a beam search finds that stops as soon as nothing that runs can win: ids, score, steps.

    Parameters
    ----------
    log_p, start, end, K, longest, alpha:
        As for :func:`coursework.mistakes.search.found_by_search`.
    rule:
        When it stops: ``"sound"``, or a wrong way out of :data:`STOPS`; or what else it does wrong:
        ``"late"``, ``"dropped"``, ``"last"``, ``"lost"``, ``"growing"``.
    """
    rows = log_p.double().tolist()

    def lp(n: int) -> float:
        return ((5 + n) / 6) ** alpha

    running: list[tuple[list[int], float]] = [([], 0.0)]
    aside: list[tuple[list[int], float, float]] = []
    n = 0
    for n in range(1, longest + 1):
        ranked = [
            ([*text, word], total + more)
            for text, total in running
            for word, more in enumerate(rows[text[-1] if text else start])
            if more > -math.inf
        ]
        ranked.sort(key=lambda one: -one[1])
        aside = [] if rule == "lost" and n < longest else aside
        aside += [(text, p, p / lp(n)) for text, p in ranked[:K] if text[-1] == end]
        running = [one for one in ranked if one[0][-1] != end][:K]
        best, top = max((s for *_, s in aside), default=-math.inf), -math.inf
        if running:
            divisor = {"now": lp(n), "next": lp(n + 1), "plain": 1.0}.get(rule, lp(longest))
            top = running[0][1] / divisor
        if rule == "first":
            done = bool(aside)
        elif rule == "K":
            done = len(aside) >= K or not running
        elif rule == "never":
            done = not running
        elif rule == "strictly":
            done = best > top or not running
        elif rule == "worst":
            done = not running or top <= min((s for *_, s in aside), default=-math.inf)
        else:
            done = best >= top
        if done:
            break
    if rule != "dropped" or not aside:
        aside = aside + [(text, p, p / lp(n)) for text, p in running]
    chosen = [p if rule == "late" else s for _, p, s in aside]
    best = max(chosen)
    at = len(chosen) - 1 - chosen[::-1].index(best) if rule == "last" else chosen.index(best)
    text, _, score = aside[at]
    return torch.tensor(text, dtype=torch.long), score, n


#: What is said of a search that stops at the wrong time.
STOPS = {
    "now": "Your search stops too soon: it divides a running text by the penalty of its present "
    "length. A longer text is divided by more: use the penalty of `longest` words.",
    "next": "Your search stops too soon: it allows for one more word, but there may be more. "
    "Use the penalty of `longest` words.",
    "plain": "Your search compares the undivided log P of running texts with scores. Divide it "
    "by the penalty of `longest` words.",
    "first": "Your search stops when the first text has ended: others that still run may become "
    "better.",
    "K": "Your search stops exactly when K texts have ended. It must stop as soon as no running "
    "text can still win, and not before.",
    "never": "Your search goes on although no running text can still win.",
    "strictly": "Your search goes on although a running text can at best draw level. In a tie, "
    "the text found first wins.",
    "worst": "Your search waits until no running text can beat the worst of the texts set "
    "aside. Only the best one is returned, so compare with the best.",
}


LAST = "Of texts with equal scores you take the last. Take the one found first."
#: How the same two rules begin where what runs when they stop does not count at all.
LEFT = {
    "The first text that ends is": "first",
    "Your search stops when K texts have ended, and the best": "K",
}

#: What is said where nobody can tell which of the rules above it was.
TOO_SOON = (
    "Your search stops too soon. A running text may still reach its log P divided by the "
    "penalty of `longest` words, which is better."
)


@later
def stop_mistakes(
    log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float
) -> dict[str, Searched]:
    """What known mistakes of ending a search find: message → (ids, score, steps)."""

    def search(rule: str = "sound", alpha: float = alpha, K: int = K) -> tuple[Tensor, float, int]:
        return found_in_steps(log_p, start, end, K, longest, alpha, rule)

    right = search()
    found: dict[str, Searched] = {told: search(rule) for rule, told in STOPS.items()}
    unpenalised = search(alpha=0.0)
    found |= {
        "The length penalty is missing: divide log P by it.": unpenalised,
        "The length penalty comes too late to change the choice: divide before you compare, not "
        "afterwards.": (search("late")),
        "log P is multiplied by the length penalty: divide by it.": search(alpha=-alpha),
        LAST: search("last"),
        "You compare only texts that end in the last step. Keep those that ended before.": (
            search("lost")
        ),
        "You drop texts that still run after `longest` words. Compare them with the others as "
        "they are.": (search("dropped")),
        "This is the result of a beam of size 1.": search(K=1),
        "Your number of steps is one too small. The first step writes the first word.": (
            (right[0], right[1], right[2] - 1)
        ),
        "Your number of steps is one too large. It is the number of the step after which the "
        "search stops.": ((right[0], right[1], right[2] + 1)),
        "You do not divide the score by the length penalty.": (
            (right[0], right[1] * ((5 + len(right[0])) / 6) ** alpha, right[2])
        ),
    }

    def same(wrong: Searched) -> bool:
        ids, score, steps = wrong
        near = math.isclose(score, right[1], rel_tol=1e-5, abs_tol=1e-5)
        return torch.equal(ids, right[0]) and near and steps == right[2]

    return {message: wrong for message, wrong in found.items() if not same(wrong)}


@later
def found_mistakes(
    found: object, log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float
) -> dict[str, tuple[Tensor | None, float | None]]:
    """The known mistakes that find this text with this score: message → (ids, score).

    A search that stops at the wrong time is known by its steps, too. If several of these mistakes
    give the same result, the message only says that the search stops too soon.

    Parameters
    ----------
    found:
        What a search returned: text, score and steps.
    """
    inputs = log_p, start, end, K, longest, alpha
    known: dict[str, tuple] = {
        message: (ids, None if score is None else float(score), _steps_of(message, inputs))
        for message, (ids, score) in search_mistakes(*inputs).items()
    }
    stops = stop_mistakes(*inputs)
    known |= {told: stops[told] for told in (*STOPS.values(), LAST) if told in stops}
    told = _told(fitting(found, known), found_in_steps(*inputs)[2])
    return {message: (ids, score) for message, (ids, score, _) in told.items()}


@later
def step_mistakes(
    found: object, log_p: Tensor, start: int, end: int, K: int, longest: int, alpha: float
) -> dict[str, int]:
    """The known mistakes that give this text, this score and these steps: message → steps."""
    inputs = log_p, start, end, K, longest, alpha
    right = found_in_steps(*inputs)[2]
    told = _told(fitting(found, stop_mistakes(*inputs)), right)
    return {message: steps for message, (*_, steps) in told.items() if steps != right}


def _steps_of(message: str, inputs: Inputs) -> int | None:
    rules = [rule for start, rule in LEFT.items() if message.startswith(start)]
    return found_in_steps(*inputs, rule=rules[0])[2] if rules else None


def _told(fits: dict[str, Searched], steps: int) -> dict[str, Searched]:
    """Those that stop before these steps in one message, and the like in one."""
    early = [m for m in fits if m in STOPS.values() or m.startswith(tuple(LEFT))]
    soon = [m for m in early if fits[m][2] < steps]
    if len(soon) > 1:
        fits = {m: wrong for m, wrong in fits.items() if m not in soon} | {TOO_SOON: fits[soon[0]]}
    return told_once(fits, most=4)
