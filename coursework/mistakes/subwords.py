"""Mistakes in learning merges of byte pairs and in applying them, and what to say of each.

Each function gives message → what that mistake would have returned: pairs of ids, ids, or a text.
A merge's index among the merges, plus 256, is the id that its pair becomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from coursework.mistakes.later import later
from coursework.mistakes.telling import told_once

Pair = tuple[int, int]


@later
def merges_mistakes(words: Mapping[str, int], n: int, right: list[Pair]) -> dict[str, list[Pair]]:
    """What known mistakes learn: message → merges.

    Parameters
    ----------
    words:
        Each word, and how often it occurs.
    n:
        How many merges to learn.
    right:
        The merges to be learned.
    """
    text = "".join(word * count for word, count in words.items())
    found = {
        "Your code counts each different word once, however often it occurs. A pair in a "
        "word that occurs 5 times counts 5 times.": _learn(dict.fromkeys(words, 1), n),
        "Of equally frequent pairs you take the one that is met first. Take the one with the "
        "smaller ids.": _learn(words, n, tie=lambda pair: ()),
        "Of equally frequent pairs you take the one with the larger ids: take the one with the "
        "smaller.": _learn(words, n, tie=lambda pair: (-pair[0], -pair[1])),
        "Of equally frequent pairs with the same first id you take the one that is met first: take "
        "the one with the smaller second id.": _learn(words, n, tie=lambda pair: pair[:1]),
        "Your ids are code points. Use the bytes of UTF-8, of which a character outside ASCII has "
        "two or more.": _learn(words, n, spell=lambda word: [ord(c) for c in word]),
        "Your pairs reach from one word into the next. No pair reaches beyond a word.": (
            _learn({text: 1}, n) if len(text) < 500 else []
        ),
        "If the pair occurs twice in a word, you join only one. Join it wherever it occurs.": (
            _learn(words, n, join=_join_first)
        ),
        "The pairs are counted once, before the first merge. Count again after each merge, which "
        "removes pairs and makes new ones.": _learn(words, n, recount=False),
        "Your counts leave out overlapping pairs. Every two neighbours are a pair, so aaa has "
        "two.": _learn(words, n, overlap=False),
        "A pair that occurs twice in a word counts only once. Count it as often as it occurs.": (
            _learn(words, n, once=True)
        ),
        "Your new ids begin with 257. The bytes are 0 to 255, so the first merge becomes 256.": (
            _learn(words, n, first=257)
        ),
        "You join the rarest pair. Join the most frequent one.": _learn(words, n, sign=1),
        "You stop when no pair occurs twice. Continue as long as there is any pair.": (
            _learn(words, n, least=2)
        ),
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


@later
def encode_mistakes(word: str, merges: Sequence[Pair], right: list[int]) -> dict[str, list[int]]:
    """What known mistakes make of a word whose ids are ``right``: message → ids."""
    spelt, ranks = list(word.encode()), _ranks(merges)
    found = {
        "You take the longest token that fits, from the left. Merges are applied in the order in "
        "which they were learned, and that may give other tokens.": _longest(spelt, merges),
        "You join the first pair from the left that was learned. Of all pairs in the word, join "
        "the one that was learned first.": _greedy(spelt, ranks, lambda pairs: pairs[0]),
        "You join the pair that was learned last. Join the one that was learned first.": (
            _greedy(spelt, ranks, lambda pairs: max(pairs, key=ranks.__getitem__))
        ),
        "Your ids are code points. A word starts as its bytes in UTF-8.": (
            _greedy([ord(c) for c in word], ranks, lambda p: min(p, key=ranks.__getitem__))
        ),
        "Of equal pairs that overlap you join the one on the right. Go from left to right.": (
            _from_the_right(spelt, ranks)
        ),
        "Your code joins only one occurrence of each pair. Join them all.": (
            _once_each(spelt, merges)
        ),
        "You go through the merges once and count with ids that are one too large: merge number 0 "
        "becomes 256.": [i + (i > 255) for i in right],
        "You return the numbers of the merges. Merge number r becomes the id 256 + r.": (
            [i - 256 if i > 255 else i for i in right]
        ),
        "Nothing is joined. These are the bytes.": spelt,
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


@later
def decode_mistakes(ids: Sequence[int], merges: Sequence[Pair], right: str) -> dict[str, str]:
    """What known mistakes make of ids whose text is ``right``: message → text."""
    parts = [_spelt(i, merges) for i in ids]
    whole = b"".join(parts)
    found = {
        "You decode each token by itself. A character may span two tokens, so join all bytes "
        "first.": "".join(part.decode(errors="replace") for part in parts),
        "You take each byte for a character. In UTF-8 several bytes may make one.": (
            "".join(map(chr, whole))
        ),
        "You drop bytes that are not UTF-8. They must become U+FFFD.": whole.decode(
            errors="ignore"
        ),
        "The two parts of a token are swapped. The bytes of the first part come first.": (
            b"".join(_spelt(i, merges, turned=True) for i in ids).decode(errors="replace")
        ),
        "You split a token only once. Its parts may be joined tokens themselves.": (
            "".join(chr(i) for j in ids for i in (merges[j - 256] if j > 255 else (j,)))
        ),
    }
    return told_once({message: wrong for message, wrong in found.items() if wrong != right})


# -- learning, and its mistakes --------------------------------------------------------------------


def _learn(
    words: Mapping[str, int],
    n: int,
    *,
    tie: Callable[[Pair], tuple] = lambda pair: pair,
    spell: Callable[[str], list[int]] = lambda word: list(word.encode()),
    join: Callable | None = None,
    recount: bool = True,
    overlap: bool = True,
    once: bool = False,
    first: int = 256,
    sign: int = -1,
    least: int = 1,
) -> list[Pair]:
    spelt, times = [spell(word) for word in words], list(words.values())
    merges: list[Pair] = []
    counts: Counter[Pair] = Counter()
    for _ in range(n):
        if recount or not merges:
            counts = Counter()
            for ids, count in zip(spelt, times, strict=True):
                pairs = list(pairwise(ids)) if overlap else _apart(ids)
                for pair in dict.fromkeys(pairs) if once else pairs:
                    counts[pair] += count
        else:
            del counts[merges[-1]]
        if not counts or max(counts.values()) < least:
            break
        pair = min(counts, key=lambda pair: (sign * counts[pair], *tie(pair)))
        spelt = [(join or _join)(ids, pair, first + len(merges)) for ids in spelt]
        merges.append(pair)
    return merges


def _join(ids: Sequence[int], pair: Pair, joined: int, most: int | None = None) -> list[int]:
    result, i, done = [], 0, 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == pair and (most is None or done < most):
            result.append(joined)
            i, done = i + 2, done + 1
        else:
            result.append(ids[i])
            i += 1
    return result


def _join_first(ids: Sequence[int], pair: Pair, joined: int) -> list[int]:
    return _join(ids, pair, joined, most=1)


def _apart(ids: Sequence[int]) -> list[Pair]:
    """The pairs of a word; of equal ones that overlap only the first."""
    found: list[Pair] = []
    last = -2
    for i, pair in enumerate(pairwise(ids)):
        if not (found and found[-1] == pair and last == i - 1):
            found.append(pair)
            last = i
    return found


# -- applying, and its mistakes --------------------------------------------------------------------


def _ranks(merges: Sequence[Pair]) -> dict[Pair, int]:
    return {(first, second): rank for rank, (first, second) in enumerate(merges)}


def _greedy(ids: list[int], ranks: Mapping[Pair, int], pick: Callable) -> list[int]:
    while pairs := [pair for pair in pairwise(ids) if pair in ranks]:
        pair = pick(pairs)
        ids = _join(ids, pair, 256 + ranks[pair], most=1)
    return ids


def _from_the_right(ids: list[int], ranks: Mapping[Pair, int]) -> list[int]:
    while pairs := [pair for pair in pairwise(ids) if pair in ranks]:
        pair = min(pairs, key=ranks.__getitem__)
        turned = (pair[1], pair[0])
        ids = _join(ids[::-1], turned, 256 + ranks[pair])[::-1]
    return ids


def _once_each(ids: list[int], merges: Sequence[Pair]) -> list[int]:
    for rank, (first, second) in enumerate(merges):
        ids = _join(ids, (first, second), 256 + rank, most=1)
    return ids


def _longest(ids: list[int], merges: Sequence[Pair]) -> list[int]:
    tokens = {_spelt(256 + rank, merges): 256 + rank for rank in range(len(merges))}
    tokens |= {bytes([byte]): byte for byte in range(256)}
    left, result = bytes(ids), []
    while left:
        size = max(n for n in range(1, len(left) + 1) if left[:n] in tokens)
        result.append(tokens[left[:size]])
        left = left[size:]
    return result


def _spelt(token: int, merges: Sequence[Pair], turned: bool = False) -> bytes:
    if token < 256:
        return bytes([token])
    parts = [_spelt(part, merges, turned) for part in merges[token - 256]]
    return b"".join(reversed(parts) if turned else parts)
