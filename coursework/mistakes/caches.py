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
    """What a cache of w places holds after n tokens; what was never written is NaN."""
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
        "Your rows start at 0. Token number i goes to row i mod w, and the first of the new "
        "ones is number n.": at(0, new),
        "You write one row too late: the new tokens are number n, n + 1, ..., counted from 0.": (
            at(n + 1, new)
        ),
        "You write one row too early: the new tokens are number n, n + 1, ..., counted from 0.": (
            at(n - 1, new)
        ),
        "You moved the old tokens and put the new ones behind them. In a rolling cache what stays "
        "does not move.": torch.cat([cache, new])[-w:],
        "Of more tokens than fit you keep the first. The last w count.": at(n, new[:w]),
        "You keep the last w tokens, but write them from row n mod w on. Those before them "
        "would have taken rows too: start at the number of the first that is kept.": at(n),
        "Your new tokens are in reverse order.": at(n, new.flip(0)),
        "Nothing was written.": cache,
        "Only the last of the new tokens was written.": at(n + t - 1, new[-1:]),
        "Only the first of the new tokens was written.": at(n, new[:1]),
    }
    if t <= w:
        held = cache.clone()
        held[[min(n + i, w - 1) for i in range(t)]] = new
        found["The cache does not roll: beyond its end it begins again at row 0."] = held
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
        "The window is one token too wide: w tokens, the token itself among them.": (
            _attend(new, K, V, (j <= i) & (i - j <= w))
        ),
        "The window is one token too narrow: w tokens, the token itself among them.": (
            _attend(new, K, V, (j <= i) & (i - j < w - 1))
        ),
        "A new token sees new ones that come after it.": (
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
        "The window does not move: every new token sees all that the cache held. Token i sees "
        "tokens i - w + 1 to i.": _attend(new, K, V, (j <= i) & (j >= n - w)),
        "You take the rows of the cache for the order of the tokens. Row r holds the last token "
        "whose number is r mod w: work out which.": (
            _attend(new, K[order], V[order], (place <= own) & (own - place < w))
        ),
        "All new tokens are written before any of them looks. The last ones have then "
        "overwritten keys that the first ones still see.": (
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
        "Head h uses group h mod G. A group serves heads side by side: h // (H / G).": (
            of(heads % G)
        ),
        "All heads use the first group: a group serves H / G heads.": of(torch.zeros_like(heads)),
        "The groups are in reverse order.": of(own.flip(0)),
        "Rows that were never written take a share of the weights: only the first seen[b] rows "
        "count.": of(own, whole, filled=False),
        "You put zeros into rows that were never written, and these still take a share of the "
        "weights: a score of 0 is a power of 1. Hide their scores too.": of(own, whole),
        "The last row that was written is left out: rows 0 to seen[b] - 1 count.": (
            of(own, torch.arange(room) < seen[:, None] - 1)
        ),
        "One row too many counts: rows 0 to seen[b] - 1 were written.": (
            of(own, torch.arange(room) <= seen[:, None], filled=False)
        ),
        "Only the last row counts: the query sees all rows that were written.": (
            of(own, torch.arange(room) == seen[:, None] - 1)
        ),
        "Every text is cut at the longest of the batch: each has a length of its own.": (
            of(own, there.any(0).expand_as(there), filled=False)
        ),
        "Every text is cut at the shortest of the batch: each has a length of its own.": (
            of(own, there.all(0).expand_as(there))
        ),
        "Your scores are not scaled: divide by √d_k.": of(own, scale=1.0),
        "Your scores are divided by d_k: it is its square root that is asked for.": (
            of(own, scale=1 / d)
        ),
        "Your output has an axis for the groups and one for their heads: put both into one, "
        "(B, H, Dv).": right.unflatten(1, (G, H // G)),
        "Heads and groups have changed places in your output: head h stands at place h.": (
            right.unflatten(1, (G, H // G)).transpose(1, 2).flatten(1, 2)
        ),
    }
    empty = seen == 0
    if bool(empty.any()):
        found[
            "A text of which nothing is cached gets the mean of rows that were never written: its "
            "output is zeros."
        ] = torch.where(empty[:, None, None], V[:, own].mean(2), right)
    return told_once(others(found, right))


# -- what attention costs --------------------------------------------------------------------------


@later
def operation_mistakes(n: int, d: int) -> dict[str, int]:
    """What known mistakes make of the operations of one head."""
    return told_once(
        others(
            {
                "Half as many as there are: a multiplication and an addition are two operations, "
                "and there are two products.": 2 * n * n * d,
                "A factor of 4 is missing: two products, each with × and +.": n * n * d,
                "The cost grows with the square of n: every word with every word.": 4 * n * d,
                "d is not squared: each score takes d multiplications.": 4 * n * n * d * d,
                "Each score takes d multiplications: a factor of d is missing.": 4 * n * n,
                "Twice too many: two products, each with × and +.": 8 * n * n * d,
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
                "That is the number of numbers: each has size bytes.": 4 * n * n + 4 * n * d,
                "Q, K, V and O are missing.": 4 * n * n * size,
                "The scores and the weights are missing.": 4 * n * d * size,
                "S and P are written and read again: four times n², not two.": (
                    (2 * n * n + 4 * n * d) * size
                ),
                "S and P are two matrices, each written and read: four times n², not once.": (
                    (n * n + 4 * n * d) * size
                ),
                "O is written too: four strips, not three.": (4 * n * n + 3 * n * d) * size,
                "Q, K, V and O are moved once each: four strips, not eight.": (
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
                "That is the number of numbers: each has size bytes.": right // size,
                "K and V are read anew for each row of tiles, n / tile times.": 4 * n * d * size,
                "The last row of tiles is narrower than the others, and it reads K and V too: "
                "round up.": (2 * n * d + 2 * n * d * (n // tile)) * size,
                "Q is read once and O written once. It is K and V that are read for each row of "
                "tiles.": 4 * n * d * down * size,
                "Q and O are missing.": 2 * n * d * down * size,
                "O is missing: it is written once.": (n * d + 2 * n * d * down) * size,
                "V is missing: it is read as often as K.": (2 * n * d + n * d * down) * size,
                "Scores and weights never leave the fast memory: flash attention moves no n².": (
                    right + 4 * n * n * size
                ),
                "K and V are read for each row of tiles, not for each tile.": (
                    (2 * n * d + 2 * n * d * down * down) * size
                ),
                "K and V are read for each row of tiles, and there are n / tile of them, not "
                "tile.": (2 * n * d + 2 * n * d * tile) * size,
                "A part of a row of tiles is a row too: round n / tile up to a whole number.": (
                    (2 * n * d + 2 * n * d * n / tile) * size
                ),
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
                "Both limits hold at once: the slower one decides, not the faster.": (
                    min(compute, memory)
                ),
                "Arithmetic and memory work at the same time in this model: take the larger, not "
                "the sum.": compute + memory,
                "The memory is not looked at.": compute,
                "The arithmetic is not looked at.": memory,
                "That is operations a second. The time is operations divided by it.": (
                    min(peak, operations / moved * bandwidth)
                ),
                "Your fractions are upside down: seconds = operations / (operations a second).": (
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
                "A key and a value are kept for each word: a factor of 2 is missing.": one * kept,
                "Every word is kept in your count. A rolling cache holds window words at most.": (
                    2 * one * words
                ),
                "You count a full window. If fewer words have been read, fewer are held.": (
                    2 * one * window
                ),
                "That is the number of numbers: each has size bytes.": 2 * one * kept // size,
                "Each layer has a cache of its own.": 2 * one * kept // layers,
                "Each head of keys and values is kept.": 2 * one * kept // kv_heads,
                "A key has d_k numbers.": 2 * one * kept // d_k,
                "d_k is not squared.": 2 * one * kept * d_k,
            },
            2 * one * kept,
        )
    )


# -- parts -----------------------------------------------------------------------------------------


def _attend(Q: Tensor, K: Tensor, V: Tensor, seen: Tensor) -> Tensor:
    scores = Q @ K.mT / math.sqrt(Q.shape[1])
    lowest = torch.finfo(scores.dtype).min
    return (scores.masked_fill(~seen, lowest).softmax(-1) * seen) @ V
