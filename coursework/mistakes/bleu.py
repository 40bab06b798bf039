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
        "Your code counts each matching n-gram once. Count it as often as it occurs, up to what "
        "a reference has.": (len(own.keys() & most.keys()), total),
        "Your code counts each n-gram once, in both numbers. Count it as often as it "
        "occurs, and clip the number of matches.": (len(own.keys() & most.keys()), len(own)),
        "You add up the counts of the references. Clip at the largest count that any one "
        "reference has.": (
            (own & sum(theirs, Counter())).total(),
            total,
        ),
        "You join the references to one text. Clip at the largest count that any one reference "
        "has.": (
            (own & joined).total(),
            total,
        ),
        "Your code uses only the first reference.": ((own & theirs[0]).total(), total),
        "Your code uses only the last reference.": ((own & theirs[-1]).total(), total),
        "Your code accepts only n-grams that are in all references. One reference is enough.": (
            (sum(min([own[g], *(c[g] for c in theirs)]) for g in own), total)
        ),
        "You count all n-grams from 1 to n words. Count only those of exactly n words.": (
            (sum((e & lower).total() for e in every), sum(e.total() for e in every))
        ),
        "The last n-gram is missing: L words have L - n + 1 n-grams.": (
            ((short[0] & _union(short[1:])).total(), short[0].total())
        ),
        "Your last n - 1 n-grams are shorter than n words: L words have L - n + 1 n-grams.": (
            ((cut[0] & _union(cut[1:])).total(), cut[0].total())
        ),
        "A text of fewer than n words has 0 n-grams. Your L - n + 1 becomes negative there.": (
            matched,
            len(hypothesis) - n + 1,
        ),
        "Your second number is the number of words. There are L - n + 1 n-grams.": (
            (matched, len(hypothesis))
        ),
        "Your second number counts each different n-gram once. Count all of them.": (
            (matched, len(own))
        ),
        "Your second number counts the reference's n-grams, which would give recall. Precision "
        "divides by the hypothesis's n-grams.": (matched, theirs[0].total()),
        "The two numbers are swapped.": (total, matched),
        "Your code ignores the order of the words. An n-gram is n words in their order.": (
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
        "This is the mean of the sentences' BLEU. Add up the counts of all sentences first.": (
            sum(sentences) / len(sentences)
        ),
        "The precisions are means over the sentences. Add up the counts of all sentences first.": (
            100 * brevity * mean(each)
        ),
        "The brevity penalty is the mean of the sentences' penalties. Compute it once, from the "
        "total lengths."
        : 100 * geometric * sum(penalties) / len(penalties),
        "The brevity penalty is missing.": 100 * geometric,
        "The brevity penalty is inverted: it is exp(1 - r/c), where r is the references' "
        "length.":
            100 * geometric * turned,
        "The brevity penalty is inverted, though capped at 1: it is exp(1 - r/c), where r is "
        "the references' length.": 100 * geometric * at_most_1,
        "Your brevity penalty changes the score of long texts, too. It is at most 1, and it is "
        "1 if c is at least r.": 100 * geometric * (math.exp(1 - r / c) if c else 0.0),
        "Your brevity penalty is the ratio of the lengths. Put it in an exponent: exp(1 - r/c).": (
            100 * geometric * min(1.0, c / r)
        ),
        "You take the arithmetic mean of the precisions. Take the geometric one.": (
            100 * brevity * sum(shares) / 4
        ),
        "You multiply the precisions but do not take the fourth root.": (
            100 * brevity * math.prod(shares)
        ),
        "Your score lies between 0 and 1. The task asks for 0 to 100.": right / 100,
        "You add 1 to the counts. There is no smoothing here.": 100 * brevity * mean(smoothed),
        "You leave out orders without a match. One precision of 0 makes BLEU 0.": (
            100 * brevity * math.prod(positive) ** (1 / len(positive)) if positive else right
        ),
        "Four-grams are missing: n goes from 1 to 4.": 100 * brevity * mean(shares, 3),
        "This is the precision of single words. Combine n = 1 to 4.": 100 * brevity * shares[0],
        "This is one precision over n-grams of all orders. Compute a precision for each order.": (
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
