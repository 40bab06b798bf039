"""Mistakes in rolling and shared caches and in counting what attention costs, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. What is
right stands above them, for the hidden tests.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_once

# -- what is right ---------------------------------------------------------------------------------


def rolled_of(cache: Tensor, new: Tensor, n: int) -> Tensor:
    """The cache of a window after more tokens, the n-th and those after it."""
    held = cache.clone()
    for i, row in enumerate(new):
        held[(n + i) % len(held)] = row
    return held


def window_of(Q: Tensor, K: Tensor, V: Tensor, w: int) -> Tensor:
    """Each token of a whole text looks at itself and the w - 1 before it."""
    i, j = torch.arange(len(Q))[:, None], torch.arange(len(K))
    return _attend(Q, K, V, (j <= i) & (i - j < w))


def held_of(rows: Tensor, n: int, w: int) -> Tensor:
    """What a cache of w rows holds after n tokens; what was never written is NaN."""
    return rolled_of(rows.new_full((w, rows.shape[1]), math.nan), rows[:n], 0)


def grouped_of(q: Tensor, K: Tensor, V: Tensor, seen: Tensor) -> Tensor:
    """One query a head over the first rows of shared keys and values."""
    out = q.new_zeros(*q.shape[:2], V.shape[-1])
    for b, h in torch.cartesian_prod(*map(torch.arange, q.shape[:2])).tolist():
        g, n = h * K.shape[1] // q.shape[1], int(seen[b])
        if n:
            weights = (K[b, g, :n] @ q[b, h] / math.sqrt(q.shape[-1])).softmax(0)
            out[b, h] = weights @ V[b, g, :n]
    return out


# -- a rolling cache -------------------------------------------------------------------------------


@later
def write_mistakes(cache: Tensor, new: Tensor, n: int) -> dict[str, Tensor]:
    """What known mistakes make of a rolling cache into which tokens were written."""
    w, t = len(cache), len(new)
    kept = new[-w:]

    def at(first: int, rows: Tensor = kept) -> Tensor:
        held = cache.clone()
        for i, row in enumerate(rows):
            held[(first + i) % w] = row
        return held

    found = {
        "Your rows start at 0. Token number i goes to row i mod w, and the first new token has "
        "the number n.": at(0, new),
        "You write one row too late: the new tokens have the numbers n, n + 1, ..., counted "
        "from 0.": (at(n + 1, new)),
        "You write one row too early: the new tokens have the numbers n, n + 1, ..., counted "
        "from 0.": (at(n - 1, new)),
        "You moved the old tokens and put the new ones after them. In a rolling cache, the "
        "tokens that stay do not move.": torch.cat([cache, new])[-w:],
        "If there are more new tokens than fit, you keep the first. Keep the last w.": at(
            n, new[:w]
        ),
        "You keep the last w tokens, but write them from row n mod w on. Start at the row of "
        "the first token that you keep: the tokens before it count, too.": at(n),
        "Your new tokens are in reverse order.": at(n, new.flip(0)),
        "Nothing was written.": cache,
        "Only the last of the new tokens was written.": at(n + t - 1, new[-1:]),
        "Only the first of the new tokens was written.": at(n, new[:1]),
    }
    if t <= w:
        held = cache.clone()
        held[[min(n + i, w - 1) for i in range(t)]] = new
        found["The cache does not roll: after its last row, continue at row 0."] = held
    return told_once(others(found, rolled_of(cache, new, n)))


@later
def rolling_mistakes(Q: Tensor, K: Tensor, V: Tensor, n: int, w: int) -> dict[str, Tensor]:
    """What known mistakes make of the tokens from n on of a text, under a window of w."""
    T = len(Q)
    i, j = torch.arange(n, T)[:, None], torch.arange(T)
    near, new, end = i - j < w, Q[n:], min(n, w)
    held, held_values = held_of(K, n, w), held_of(V, n, w)
    lay = list(range(max(0, n - w), n))
    rolled = [next((x for x in lay if x % w == p), 0) for p in range(end)] + list(range(n, T))
    order = torch.tensor(rolled)  # the keys as they lie, the new ones behind
    place, own = torch.arange(len(order)), torch.arange(T - n)[:, None] + end
    after, after_values = rolled_of(held, K[n:], n), rolled_of(held_values, V[n:], n)
    filled = min(T, w)
    found = {
        "The window is one token too wide. It has w tokens, including the token itself.": (
            _attend(new, K, V, (j <= i) & (i - j <= w))
        ),
        "The window is one token too narrow. It has w tokens, including the token itself.": (
            _attend(new, K, V, (j <= i) & (i - j < w - 1))
        ),
        "A new token sees new tokens that come after it.": (
            _attend(new, K, V, near.clone().logical_or(j > i) & near)
        ),
        "A new token does not see itself: its own key belongs to the window.": (
            _attend(new, K, V, (j < i) & near)
        ),
        "The new tokens see only each other: what the cache holds is not used.": (
            _attend(new, K, V, (j <= i) & near & (j >= n))
        ),
        "The new tokens see only what the cache held: their own keys and values are not used.": (
            _attend(new, K, V, near & (j < n))
        ),
        "The window does not move: every new token sees the whole cache. Token i must see "
        "tokens i - w + 1 to i.": _attend(new, K, V, (j <= i) & (j >= n - w)),
        "You take the order of the rows for the order of the tokens. Row r holds the last token "
        "whose number is r mod w: work out which one.": (
            _attend(new, K[order], V[order], (place <= own) & (own - place < w))
        ),
        "You write all new tokens before any of them attends. The last ones have then "
        "overwritten keys that the first ones still need.": (
            _attend(new, after[:filled], after_values[:filled], torch.ones(T - n, filled) > 0)
        ),
        "Your scores are not scaled: divide by √d_k.": (
            _attend(new * math.sqrt(Q.shape[1]), K, V, (j <= i) & near)
        ),
    }
    return told_once(others(found, _attend(new, K, V, (j <= i) & near)))


# -- a shared cache --------------------------------------------------------------------------------


@later
def grouped_mistakes(q: Tensor, K: Tensor, V: Tensor, seen: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of one query a head over shared keys and values."""
    (H, d), (G, room) = q.shape[1:], K.shape[1:3]
    there = torch.arange(room) < seen[:, None]  # (B, room)
    filled = there[:, None, :, None]
    K_there, V_there = K.masked_fill(~filled, 0.0), V.masked_fill(~filled, 0.0)
    heads = torch.arange(H)
    right = grouped_of(q, K, V, seen)

    def of(
        group: Tensor, mask: Tensor = there, scale: float = d**-0.5, filled: bool = True
    ) -> Tensor:
        keys, values = (K_there, V_there) if filled else (K, V)
        s = torch.einsum("bhd,bhsd->bhs", q, keys[:, group]) * scale
        lowest = torch.finfo(s.dtype).min
        weights = s.masked_fill(~mask[:, None], lowest).softmax(-1) * mask[:, None]
        return torch.einsum("bhs,bhsv->bhv", weights, values[:, group])

    own = heads * G // H
    whole = torch.ones_like(there)
    found = {
        "Head h uses group h mod G. Neighbouring heads share a group: h // (H / G).": of(heads % G),
        "All heads use the first group. Each group serves H / G heads.": of(
            torch.zeros_like(heads)
        ),
        "The groups are in reverse order.": of(own.flip(0)),
        "Rows that were never written get weight. Only the first seen[b] rows count.": of(
            own, whole, filled=False
        ),
        "You put zeros into rows that were never written, but they still get weight: their "
        "score is 0, and exp(0) = 1. Hide their scores, too.": of(own, whole),
        "You leave out the last row that was written. Rows 0 to seen[b] - 1 count.": (
            of(own, torch.arange(room) < seen[:, None] - 1)
        ),
        "You count one row too many: rows 0 to seen[b] - 1 were written.": (
            of(own, torch.arange(room) <= seen[:, None], filled=False)
        ),
        "Your query sees only the last row. It must see all rows that were written.": (
            of(own, torch.arange(room) == seen[:, None] - 1)
        ),
        "Your code uses the longest length of the batch for every text. Each text has its own "
        "length.": (of(own, there.any(0).expand_as(there), filled=False)),
        "Your code uses the shortest length of the batch for every text. Each text has its own "
        "length.": (of(own, there.all(0).expand_as(there))),
        "Your scores are not scaled: divide by √d_k.": of(own, scale=1.0),
        "Your scores are divided by d_k: divide by its square root, √d_k.": (of(own, scale=1 / d)),
        "Your output has separate axes for the groups and the heads of each group. Merge both "
        "into one: (B, H, Dv).": right.unflatten(1, (G, H // G)),
        "Heads and groups are swapped in your output: head h must be at index h.": (
            right.unflatten(1, (G, H // G)).transpose(1, 2).flatten(1, 2)
        ),
    }
    empty = seen == 0
    if bool(empty.any()):
        found[
            "A text with an empty cache gets the mean of rows that were never written. Its "
            "output must be zeros."
        ] = torch.where(empty[:, None, None], V[:, own].mean(2), right)
    return told_once(others(found, right))


# -- what attention costs --------------------------------------------------------------------------


@later
def operation_mistakes(n: int, d: int) -> dict[str, int]:
    """What known mistakes make of the operations of one head."""
    return told_once(
        others(
            {
                "That is half of the operations: a multiplication and an addition are two, and "
                "there are two products.": 2 * n * n * d,
                "A factor of 4 is missing: there are two products, each with × and +.": n * n * d,
                "The cost grows with n²: every word meets every word.": 4 * n * d,
                "You square d. Each score takes only d multiplications.": 4 * n * n * d * d,
                "Each score takes d multiplications: a factor of d is missing.": 4 * n * n,
                "That is twice too much: there are two products, each with × and +.": 8 * n * n * d,
            },
            4 * n * n * d,
        )
    )


@later
def moved_mistakes(n: int, d: int, size: int) -> dict[str, int]:
    """What known mistakes make of the bytes that naive attention moves."""
    return told_once(
        others(
            {
                "You return the number of numbers. Multiply by size, the bytes of each.": 4 * n * n
                + 4 * n * d,
                "You leave out Q, K, V and O.": 4 * n * n * size,
                "You leave out the scores and the weights.": 4 * n * d * size,
                "S and P are written and read again: count n² four times, not twice.": (
                    (2 * n * n + 4 * n * d) * size
                ),
                "S and P are two matrices, each written and read: count n² four times, not once.": (
                    (n * n + 4 * n * d) * size
                ),
                "O is written, too: count four n × d matrices, not three.": (4 * n * n + 3 * n * d)
                * size,
                "Q, K, V and O are moved once each: count four n × d matrices, not eight.": (
                    (4 * n * n + 8 * n * d) * size
                ),
            },
            (4 * n * n + 4 * n * d) * size,
        )
    )


@later
def flash_mistakes(n: int, d: int, tile: int, size: int) -> dict[str, float]:
    """What known mistakes make of the bytes that flash attention moves."""
    down = math.ceil(n / tile)
    right = (2 * n * d + 2 * n * d * down) * size
    return told_once(
        others(
            {
                "You return the number of numbers. Multiply by size, the bytes of each.": right
                // size,
                "K and V are read again for each row of tiles, n / tile times.": 4 * n * d * size,
                "You leave out the last, narrower row of tiles. It reads K and V, too: round up.": (
                    2 * n * d + 2 * n * d * (n // tile)
                )
                * size,
                "Q is read once and O is written once. Only K and V are read for each row of "
                "tiles.": 4 * n * d * down * size,
                "You leave out Q and O.": 2 * n * d * down * size,
                "You leave out O, which is written once.": (n * d + 2 * n * d * down) * size,
                "You leave out V, which is read as often as K.": (2 * n * d + n * d * down) * size,
                "Scores and weights never leave the fast memory: flash attention moves no n² "
                "numbers.": (right + 4 * n * n * size),
                "K and V are read for each row of tiles, not for each tile.": (
                    (2 * n * d + 2 * n * d * down * down) * size
                ),
                "K and V are read for each row of tiles, and there are n / tile of them, not "
                "tile.": (2 * n * d + 2 * n * d * tile) * size,
                "The last row of tiles counts even if it is narrower: round n / tile up to a "
                "whole number.": ((2 * n * d + 2 * n * d * n / tile) * size),
            },
            right,
        )
    )


@later
def second_mistakes(
    operations: float, moved: float, peak: float, bandwidth: float
) -> dict[str, float]:
    """What known mistakes make of the seconds that the roofline allows."""
    compute, memory = operations / peak, moved / bandwidth
    return told_once(
        others(
            {
                "Both limits apply at once: the slower one decides, not the faster.": (
                    min(compute, memory)
                ),
                "Arithmetic and memory work at the same time in this model: take the larger, not "
                "the sum.": compute + memory,
                "You leave out the memory.": compute,
                "You leave out the arithmetic.": memory,
                "That is operations per second. The time is operations divided by it.": (
                    min(peak, operations / moved * bandwidth)
                ),
                "Your fractions are upside down: seconds = operations / (operations per second).": (
                    max(peak / operations, bandwidth / moved)
                ),
            },
            max(compute, memory),
        )
    )


@later
def held_mistakes(
    layers: int, kv_heads: int, d_k: int, words: int, size: int, window: int
) -> dict[str, int]:
    """What known mistakes make of the bytes of a cache."""
    kept = min(words, window)
    one = layers * kv_heads * d_k * size
    return told_once(
        others(
            {
                "Each word has a key and a value: a factor of 2 is missing.": one * kept,
                "You count every word. A rolling cache holds at most window words.": (
                    2 * one * words
                ),
                "You count a full window. If fewer words have been read, the cache holds fewer.": (
                    2 * one * window
                ),
                "You return the number of numbers. Multiply by size, the bytes of each.": 2
                * one
                * kept
                // size,
                "The number of layers is missing: each layer has its own cache.": 2
                * one
                * kept
                // layers,
                "The number of key-value heads is missing: each has its own keys and values.": 2
                * one
                * kept
                // kv_heads,
                "d_k is missing: a key has d_k numbers.": 2 * one * kept // d_k,
                "You square d_k. A key has d_k numbers.": 2 * one * kept * d_k,
            },
            2 * one * kept,
        )
    )


# -- parts -----------------------------------------------------------------------------------------


def _attend(Q: Tensor, K: Tensor, V: Tensor, seen: Tensor) -> Tensor:
    scores = Q @ K.mT / math.sqrt(Q.shape[1])
    lowest = torch.finfo(scores.dtype).min
    return (scores.masked_fill(~seen, lowest).softmax(-1) * seen) @ V
