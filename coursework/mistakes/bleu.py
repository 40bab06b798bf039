"""Mistakes in counting n-grams and in computing BLEU from the counts, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.smoothing import other_numbers
from coursework.mistakes.telling import told_once

Words = Sequence[str]


@later
def match_mistakes(
    hypothesis: Words, references: Sequence[Words], n: int
) -> dict[str, tuple[int, int]]:
    """What known mistakes make of the n-grams found in references: message → (found, all)."""

    def grams(words: Words, n: int = n, more: int = 0) -> Counter:
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1 + more))

    own, theirs = grams(hypothesis), [grams(words) for words in references]
    most: Counter[tuple] = Counter()
    for counts in theirs:
        most |= counts
    matched, total = (own & most).total(), own.total()
    every = [grams(hypothesis, k) for k in range(1, n + 1)]
    lower: Counter[tuple] = Counter()
    for words in references:
        lower |= sum((grams(words, k) for k in range(1, n + 1)), Counter())
    short = [grams(words, more=-1) for words in (hypothesis, *references)]
    cut = [grams(words, more=n - 1) for words in (hypothesis, *references)]
    joined = grams([word for words in references for word in words])
    found: dict[str, tuple[int, int]] = {
        "The counts are not clipped: an n-gram counts at most as often as a reference has it.": (
            (sum(count for gram, count in own.items() if gram in most), total)
        ),
        "Your code counts each n-gram once. Count it as often as it occurs, up to what a "
        "reference has.": (len(own.keys() & most.keys()), total),
        "Your code counts each n-gram once, in both numbers. Count it as often as it "
        "occurs, and clip the number of matches.": (len(own.keys() & most.keys()), len(own)),
        "The references' counts are added up: what clips is the most that one of them has.": (
            (own & sum(theirs, Counter())).total(),
            total,
        ),
        "The references are joined to one text: what clips is the most that one of them has.": (
            (own & joined).total(),
            total,
        ),
        "Only the first reference is looked at.": ((own & theirs[0]).total(), total),
        "Only the last reference is looked at.": ((own & theirs[-1]).total(), total),
        "Your code wants an n-gram to be in all references. One is enough.": (
            (sum(min([own[g], *(c[g] for c in theirs)]) for g in own), total)
        ),
        "All n-grams from 1 to n are counted: those of n words are asked for.": (
            (sum((e & lower).total() for e in every), sum(e.total() for e in every))
        ),
        "The last n-gram is missing: L words have L - n + 1 of them.": (
            ((short[0] & _union(short[1:])).total(), short[0].total())
        ),
        "The last n - 1 of your n-grams are cut short: L words have L - n + 1 of n words.": (
            ((cut[0] & _union(cut[1:])).total(), cut[0].total())
        ),
        "A text of fewer than n words has no n-grams, and not less than none: L - n + 1 can be "
        "negative.": (matched, len(hypothesis) - n + 1),
        "The second number is the number of words: of n-grams there are L - n + 1.": (
            (matched, len(hypothesis))
        ),
        "The second number is that of different n-grams: all of them are counted.": (
            (matched, len(own))
        ),
        "The second number is that of the reference's n-grams: that would be recall. Precision "
        "asks for the hypothesis's.": (matched, theirs[0].total()),
        "The two numbers have changed places.": (total, matched),
        "The order of the words is lost: an n-gram is n words in their order.": (
            (
                (_unordered(own) & _union([_unordered(counts) for counts in theirs])).total(),
                total,
            )
        ),
    }
    right = (matched, total)
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


@later
def bleu_mistakes(
    matched: Tensor, total: Tensor, lengths: Tensor, reference_lengths: Tensor
) -> Mapping[str, float]:
    """What known mistakes make of corpus BLEU: message → the score.

    Parameters
    ----------
    matched, total:
        Of each sentence and order n, ``(N, 4)``.
    lengths, reference_lengths:
        Words of each hypothesis and of its reference, ``(N,)``.
    """
    M, A = matched.sum(0).tolist(), total.sum(0).tolist()
    c, r = int(lengths.sum()), int(reference_lengths.sum())
    right = _bleu(M, A, c, r)
    sentences = [
        _bleu(m.tolist(), a.tolist(), int(own), int(other))
        for m, a, own, other in zip(matched, total, lengths, reference_lengths, strict=True)
    ]
    shares = [m / a if a else 0.0 for m, a in zip(M, A, strict=True)]
    each = (matched.double() / total.clamp(min=1)).mean(0).tolist()
    brevity = math.exp(1 - r / c) if 0 < c < r else float(c > 0)
    turned = math.exp(1 - c / r) if c < r else 1.0
    at_most_1 = min(1.0, math.exp(1 - c / r))
    penalties = [
        math.exp(1 - b / a) if 0 < a < b else float(a > 0)
        for a, b in zip(lengths.tolist(), reference_lengths.tolist(), strict=True)
    ]

    def mean(shares: Sequence[float], orders: int = 4) -> float:
        shares = shares[:orders]
        return math.prod(shares) ** (1 / orders) if shares else 0.0

    geometric = mean(shares)
    positive = [share for share in shares if share]
    smoothed = [(m + 1) / (a + 1) for m, a in zip(M, A, strict=True)]
    found = {
        "This is the mean of the sentences' BLEU: add the counts of all sentences up first.": (
            sum(sentences) / len(sentences)
        ),
        "The precisions are means over the sentences: add the counts of all sentences up first.": (
            100 * brevity * mean(each)
        ),
        "The brevity penalty is the mean of the sentences': it is taken once, of the whole lengths."
        : 100 * geometric * sum(penalties) / len(penalties),
        "The brevity penalty is missing.": 100 * geometric,
        "The brevity penalty is turned round: it is exp(1 - r/c), r being the references' length.":
            100 * geometric * turned,
        "The brevity penalty is turned round, though at most 1: it is exp(1 - r/c), r being the "
        "references' length.": 100 * geometric * at_most_1,
        "Long texts are paid for, or punished, too: the brevity penalty is at most 1, and 1 from "
        "c = r on.": 100 * geometric * (math.exp(1 - r / c) if c else 0.0),
        "The lengths' ratio is taken as it is: it stands in an exponent, exp(1 - r/c).": (
            100 * geometric * min(1.0, c / r)
        ),
        "The arithmetic mean of the precisions is taken: it is the geometric one.": (
            100 * brevity * sum(shares) / 4
        ),
        "The precisions are multiplied, and the fourth root is missing.": (
            100 * brevity * math.prod(shares)
        ),
        "Your score lies between 0 and 1. The task asks for 0 to 100.": right / 100,
        "One is added to the counts: there is no smoothing here.": 100 * brevity * mean(smoothed),
        "Orders without a match are left out: one precision of 0 makes BLEU 0.": (
            100 * brevity * math.prod(positive) ** (1 / len(positive)) if positive else right
        ),
        "Four-grams are missing: n goes from 1 to 4.": 100 * brevity * mean(shares, 3),
        "This is the precision of single words.": 100 * brevity * shares[0],
        "This is the precision of all n-grams thrown together: each order has its own.": (
            100 * brevity * sum(M) / max(sum(A), 1)
        ),
    }  # fmt: skip
    return other_numbers(found, right)


def _bleu(matched: Sequence[int], total: Sequence[int], c: int, r: int) -> float:
    if not all(matched) or not c:
        return 0.0
    shares = [m / a for m, a in zip(matched, total, strict=True)]
    return 100 * min(1.0, math.exp(1 - r / c)) * math.prod(shares) ** 0.25


def _unordered(counts: Counter) -> Counter:
    found: Counter = Counter()
    for gram, count in counts.items():
        found[tuple(sorted(gram))] += count
    return found


def _union(several: Sequence[Counter]) -> Counter:
    most: Counter = Counter()
    for counts in several:
        most |= counts
    return most
