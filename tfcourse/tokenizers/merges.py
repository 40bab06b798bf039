"""The two algorithms of byte-pair encoding, on ids only: learn merges, and apply them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

#: Two adjacent ids.
Pair = tuple[int, int]


def learn_merges(
    words: Mapping[Sequence[int], int], tokens: Iterable[str], vocab_size: int
) -> tuple[list[str], list[Pair]]:
    """Repeatedly merge the most frequent pair into a new token.

    Pairs are counted once. A merge then changes only the counts of pairs next to where it happens,
    so the cost of a step depends on the frequency of the pair, not on the length of the text.

    ``words`` maps each distinct word, as ids, to its count; no merge crosses a word boundary.
    ``tokens`` are the initial tokens, in the order of their ids; merging stops at ``vocab_size``
    tokens, or when every word is a single token. Returns the tokens, and the pairs in the order in
    which they were merged. Of equally frequent pairs the one with the smaller ids comes first.

    Notes
    -----
    Gage 1994; Sennrich et al. 2016, algorithm 1. Step by step the same as Hugging Face's
    ``BpeTrainer``, with the same merges.
    """
    tokens = list(tokens)
    spelt, times = [list(word) for word in words], list(words.values())

    counts: Counter[Pair] = Counter()
    places: dict[Pair, set[int]] = defaultdict(set)  # the words that contain a pair
    for place, word in enumerate(spelt):
        for pair in pairwise(word):
            counts[pair] += times[place]
            places[pair].add(place)
    # A heap has its smallest entry on top: hence the sign. The ids break ties.
    queue = [(-counts[pair], pair, where) for pair, where in places.items()]
    heapify(queue)

    merges = []
    while len(tokens) < vocab_size and queue:
        count, pair, where = heappop(queue)
        if -count != counts[pair]:  # earlier merges have removed some of its occurrences
            if counts[pair]:
                heappush(queue, (-counts[pair], pair, where))
            continue
        joined = len(tokens)
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
        merges.append(pair)

        appeared: dict[Pair, set[int]] = defaultdict(set)
        for place in where:
            spelt[place], gone, new = _join(spelt[place], pair, joined)
            for neighbours in gone:
                counts[neighbours] -= times[place]
            for neighbours in new:
                counts[neighbours] += times[place]
                appeared[neighbours].add(place)
        for neighbours, found in appeared.items():
            if counts[neighbours]:
                heappush(queue, (-counts[neighbours], neighbours, found))
    return tokens, merges


def _join(word: list[int], pair: Pair, joined: int) -> tuple[list[int], list[Pair], list[Pair]]:
    """A word after a merge, and the neighbouring pairs that are gone and that are new."""
    result, gone, new = [], [], []
    i = 0
    while i < len(word):
        if word[i] != pair[0] or i + 1 == len(word) or word[i + 1] != pair[1]:
            result.append(word[i])
            i += 1
            continue
        if result:
            gone.append((result[-1], pair[0]))
            new.append((result[-1], joined))
        if i + 2 < len(word):
            gone.append((pair[1], word[i + 2]))
            new.append((joined, word[i + 2]))
        result.append(joined)
        i += 2
    return result, gone, new


def apply_merges(word: Sequence[int], merges: Mapping[Pair, tuple[int, int]]) -> list[int]:
    """Merge the pair that was learned first, leftmost first, until no pair is left.

    ``merges`` maps each pair to its rank among the merges and to the id it becomes.

    Notes
    -----
    Sennrich et al. 2016, section 3.2. A heap of the pairs makes it ``O(T log T)``: a text without
    spaces is one long word.
    """
    ids: list[int | None] = list(word)
    left = [*range(-1, len(ids) - 1)]
    right = [*range(1, len(ids)), -1]  # -1: no neighbour
    queue: list[tuple[int, int, int]] = []

    def merge(i: int, j: int) -> tuple[int, int] | None:
        """The rank of the pair at two positions, and its merged id; ``None`` if not a pair."""
        first, second = (ids[i], ids[j]) if i >= 0 and j >= 0 else (None, None)
        return None if first is None or second is None else merges.get((first, second))

    def offer(i: int, j: int) -> None:
        if found := merge(i, j):
            rank, joined = found
            heappush(queue, (rank, i, joined))

    for i, j in pairwise(range(len(ids))):
        offer(i, j)
    while queue:
        _, i, joined = heappop(queue)
        j = right[i]
        # One of the two may have been merged with another in the meantime.
        found = merge(i, j)
        if found is None or found[1] != joined:
            continue
        ids[i], ids[j] = joined, None
        right[i] = right[j]
        if right[j] >= 0:
            left[right[j]] = i
        offer(left[i], i)
        offer(i, right[i])
    return [i for i in ids if i is not None]
