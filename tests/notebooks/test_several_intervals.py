"""What a correction for several intervals would change in the ledger is what *How we tested* says.

Most verdicts rest on more than one 95 % interval. From the intervals that the verdicts print, the
test finds which would still lie on their side of the bound in the condition:

- if the intervals of one verdict were wider, so that all of them together hold with 95 %
  (Bonferroni, each with 1 - 0.05 / k for k intervals);
- if all of the ledger's were tested together (Holm, 5 %).

A claim that is shown, not tested counts like one that holds, and so does a refuted one, by the
intervals that refute it. Unsettled claims are left out: wider intervals settle nothing. So are
verdicts that rest on counts, on the lowest of several seeds, or on an interval that must reach
beyond its bound.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scipy.stats import t as students

from coursebook import claims
from coursebook.sphinx.claims import read_ledger

#: A mean with its interval, as verdicts print it.
PRINTED = re.compile(r"([+-]?\d[\d.]*) [(\[]([+-]?[\d.]+)(?: to |, )([+-]?[\d.]+)")


@dataclass(frozen=True)
class Deciding:
    """The intervals that decide one verdict.

    Attributes
    ----------
    seeds:
        Number of seeds, starts or passes; the intervals are Student's.
    which:
        Their places among the intervals that the verdict prints.
    bounds:
        Between which values each must lie if the claim holds.
    refuted:
        Between which values each must lie if the claim is refuted.
    enough:
        How many of them suffice; all by default.
    ratio:
        Whether the intervals are those of logarithms.
    """

    seeds: int
    which: tuple[int, ...]
    bounds: tuple[float, float]
    refuted: tuple[float, float] | None = None
    enough: int | None = None
    ratio: bool = False


FAILS = claims.VERDICTS["fails"]
ABOVE, BELOW = (0.0, math.inf), (-math.inf, 0.0)
DECIDING = {
    "words-skipgram": (Deciding(299, (0, 1, 2), (0.113, math.inf)),),
    "attn-pool": (Deciding(3, (0, 1), ABOVE),),
    "attn-explain": (Deciding(3, (0,), (-math.inf, 0.5)),),
    "self-scale": (Deciding(5, (0,), (1.0, math.inf), ratio=True),),
    "heads-cost": (Deciding(31, (0, 1), (0.0, 1.25), ratio=True),),
    # What the plain net loses over one to four nouns.
    "rnn-agree": (Deciding(20, (0,), (0.1, math.inf)),),
    # The falls at 64 without attention and with it, their difference, and what 128 get more.
    "rnn-fixed": (
        Deciding(5, (0, 3), (0.10, math.inf)),
        Deciding(8, (1,), (-math.inf, 0.05)),
        Deciding(3, (2,), (0.10, math.inf)),
    ),
    # The gain over the plain net, and the loss, of the GRU or the LSTM.
    "rnn-gates": (
        Deciding(5, (0, 1), (0.2, math.inf), enough=1),
        Deciding(5, (2, 3), (0.05, math.inf), enough=1),
    ),
    "pos-learned": (Deciding(5, (0,), BELOW),),
    "pos-extrapolate": (Deciding(5, (0,), (0.05, math.inf)),),
    "pos-shaw": (Deciding(5, (0,), BELOW),),
    "pos-rope-fast": (Deciding(5, (0, 1), BELOW),),
    "pos-rope-long": (
        Deciding(5, (0,), (0.03, math.inf)),
        Deciding(5, (1,), (0.5, math.inf)),
    ),
    "pos-syntax": (Deciding(20, (0,), (0.01, math.inf)),),
    "block-ffn": (Deciding(5, (0, 1), ABOVE),),
    # Of the surfaces the condition asks for the mean alone.
    "block-residual": (Deciding(5, (0, 1), ABOVE),),
    "block-norm": (Deciding(5, (0,), ABOVE, refuted=BELOW),),
    # Its trainings: one of four from small, scaled weights, and both from small ones.
    "block-prepost": (
        Deciding(5, (5, 6, 9, 10), ABOVE, enough=1),
        Deciding(5, (11, 12), ABOVE),
    ),
    "model-mlm": (Deciding(3, (0, 1), ABOVE),),
    "words-static": (Deciding(3, (0,), ABOVE),),
    "model-cross": (Deciding(3, (0,), ABOVE),),
    "model-vision": (
        Deciding(10, (0, 2), (0.10, math.inf)),
        Deciding(3, (4, 5), ABOVE),
    ),
    "self-quadratic": (Deciding(9, (0, 1), (1.75, 2.25)),),
}


def judged(printed: tuple[float, float, float], rule: Deciding, several: int) -> dict[str, Any]:
    """One interval, the wider one for ``several``, and the p-value of its nearest bound."""
    mean, low, high = map(math.log, printed) if rule.ratio else printed
    bounds = [math.log(b) if rule.ratio and b > 0 else b for b in rule.bounds]
    lowest = -math.inf if rule.ratio and rule.bounds[0] <= 0 else bounds[0]
    free = rule.seeds - 1
    error = (high - low) / 2 / students.ppf(0.975, free)
    half = error * students.ppf(1 - 0.025 / several, free)
    distance = min(mean - lowest, bounds[1] - mean) / max(error, 1e-12)
    return {
        "printed": printed,
        "wider": [math.exp(x) if rule.ratio else x for x in (mean - half, mean + half)],
        "still": bool(lowest < mean - half and mean + half < bounds[1]),
        "p": float(2 * students.sf(distance, free)),
    }


def intervals(course: Path) -> dict[str, list[list[dict[str, Any]]]]:
    """Of each claim that holds, is shown or is refuted, the deciding intervals by rule."""
    tested = read_ledger(course).tested
    found = {}
    for claim, rules in DECIDING.items():
        if tested[claim].verdict == FAILS:
            assert all(rule.refuted for rule in rules), f"{claim}: which bounds refute it?"
            rules = [replace(rule, bounds=rule.refuted) for rule in rules]
        elif not tested[claim].agrees:
            continue
        printed = [tuple(map(float, one)) for one in PRINTED.findall(tested[claim].figure)]
        several = sum(len(rule.which) for rule in rules)
        found[claim] = [
            [judged(printed[place], rule, several) for place in rule.which] for rule in rules
        ]
    return found


def test_the_page_says_what_a_correction_would_change(course: Path) -> None:
    found = intervals(course)
    every = sorted((x for groups in found.values() for g in groups for x in g), key=by_p)
    rejected = True
    for place, one in enumerate(every):
        one["asked"] = 0.05 / (len(every) - place)
        rejected = rejected and one["p"] <= one["asked"]
        one["holm"] = rejected

    def lost(by: str) -> set[str]:
        return {
            claim
            for claim, groups in found.items()
            for rule, group in zip(DECIDING[claim], groups, strict=True)
            if sum(x[by] for x in group) < (rule.enough or len(group))
        }

    page = " ".join((course / "book" / "how-we-tested.md").read_text("utf-8").split())
    refuted = any(read_ledger(course).tested[claim].verdict == FAILS for claim in found)
    kind = "that hold, are shown or are refuted" if refuted else "that hold or are shown"
    assert f"decide {len(found)} claims {kind}: {len(every)} intervals." in page
    wider, _, together = page.partition("**Wider intervals within each claim**")[2].partition(
        "**All intervals together**"
    )
    together = together.partition("A correction settles")[0]
    besides = lost("holm") - lost("still")
    assert set(re.findall(r"`([\w-]+)`", wider)) == lost("still") <= lost("holm")
    assert len(lost("still")) == 1 and "one verdict would be lost" in wider
    assert set(re.findall(r"`([\w-]+)`", together)) == besides
    assert ("the same verdict." in together) == (not besides)
    for claim in besides:
        for one in (x for group in found[claim] for x in group if not x["holm"]):
            assert f"{one['p']:.4f}" in together and f"{one['asked']:.4f}" in together


def by_p(one: dict[str, Any]) -> float:
    return one["p"]
