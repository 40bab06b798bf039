"""Mistakes in merging partial results and in walking over tiles, and what to say of each.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. What is
right stands above them, for the hidden tests.
"""

from __future__ import annotations

import math
from itertools import product

import torch
from torch import Tensor

from coursework.mistakes.later import later
from coursework.mistakes.telling import others, told_apart, told_once

Pair = tuple[Tensor | None, Tensor | None]
Kept = tuple[Tensor | None, Tensor | None, Tensor | None]


# -- what is right ---------------------------------------------------------------------------------


def kept_of(s: Tensor, V: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What is kept of scores ``(T, S)`` and values ``(S, Dv)``: m, l and acc."""
    m = s.amax(-1)
    p = (s - _finite(m)[:, None]).exp()
    return m, p.sum(-1), p @ V


def merged_of(
    m_a: Tensor, l_a: Tensor, acc_a: Tensor, m_b: Tensor, l_b: Tensor, acc_b: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Two partial results become one."""
    m = torch.maximum(m_a, m_b)
    f, g = (m_a - _finite(m)).exp(), (m_b - _finite(m)).exp()
    return m, f * l_a + g * l_b, f[:, None] * acc_a + g[:, None] * acc_b


def finished_of(O_a: Tensor, L_a: Tensor, O_b: Tensor, L_b: Tensor) -> tuple[Tensor, Tensor]:
    """Two finished halves become one: the output and its ``L``."""
    L = torch.logaddexp(L_a, L_b)
    f, g = (L_a - _finite(L)).exp(), (L_b - _finite(L)).exp()
    return f[:, None] * O_a + g[:, None] * O_b, L


def seen_of(n: int, pad: int) -> Tensor:
    """The causal mask ``(n, n)`` without the padding, ``True`` = may be attended to."""
    i, j = torch.arange(n)[:, None], torch.arange(n)
    return (j <= i) & (j >= pad)


def tiled_of(Q: Tensor, K: Tensor, V: Tensor, pad: int) -> tuple[Tensor, Tensor]:
    """The output and ``L`` of causal attention behind padding, by the whole matrix."""
    return _whole(Q, K, V, seen_of(len(Q), pad))


def tiles_of(n: int, rows: int, columns: int, pad: int) -> int:
    """How many tiles have a score in them that counts."""
    return _tiles(seen_of(n, pad), rows, columns)


def aligned_of(Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
    """Causal attention whose last query stands at the last key."""
    return _whole(Q, K, V, _causal(len(Q), len(K), len(K) - len(Q)))[0]


# -- merging ---------------------------------------------------------------------------------------


@later
def merge_mistakes(
    m_a: Tensor, l_a: Tensor, acc_a: Tensor, m_b: Tensor, l_b: Tensor, acc_b: Tensor
) -> dict[str, Kept]:
    """What known mistakes make of two partial results."""
    right = m, total, acc = merged_of(m_a, l_a, acc_a, m_b, l_b, acc_b)
    f, g = (m_a - _finite(m)).exp(), (m_b - _finite(m)).exp()
    low = torch.minimum(m_a, m_b)

    def sums(f: Tensor, g: Tensor) -> Kept:
        return None, f * l_a + g * l_b, f[:, None] * acc_a + g[:, None] * acc_b

    one = torch.ones_like(f)
    found: dict[str, Kept] = {
        "You add the sums of both sides without correction. Each side was summed with its own "
        "m: multiply its sums by exp(m_side - m) first.": sums(one, one),
        "Only side a is corrected. In some rows side b has the smaller m, and then its sums "
        "need the factor exp(m_b - m).": sums(f, one),
        "Only side b is corrected. In some rows side a has the smaller m, and then its sums "
        "need the factor exp(m_a - m).": sums(one, g),
        "acc is not corrected. It needs the same factors as l.": (None, None, acc_a + acc_b),
        "l is not corrected. It needs the same factors as acc.": (None, l_a + l_b, None),
        "The factors of a and b are swapped: side a is multiplied by exp(m_a - m).": sums(g, f),
        "Your factors are inverted: exp(m_side - m) is at most 1, and yours is at least 1.": (
            sums(1 / f, 1 / g)
        ),
        "Your m is the smaller of the two. It must be the larger: otherwise a factor can "
        "overflow.": (
            low,
            total * (m - _finite(low)).exp(),
            acc * (m - _finite(low)).exp()[:, None],
        ),
        "Your acc is already divided by l. Return the undivided sum, because a later merge "
        "needs it.": ((None, None, acc / total[:, None])),
        "Your m is the sum of both. Take the larger of the two.": (m_a + m_b, None, None),
        "Your m is that of side a. Take the larger of the two.": (m_a, None, None),
    }
    if acc_a.shape[0] == acc_a.shape[1]:
        found[
            "Your factors multiply the columns of acc. There is one factor for each query, "
            "which is a row: give it an axis, [:, None]."
        ] = (None, None, f * acc_a + g * acc_b)
    return told_apart(found, right)


@later
def finished_mistakes(O_a: Tensor, L_a: Tensor, O_b: Tensor, L_b: Tensor) -> dict[str, Pair]:
    """What known mistakes make of two finished halves."""
    right = out, L = finished_of(O_a, L_a, O_b, L_b)
    e_a, e_b = L_a.exp()[:, None], L_b.exp()[:, None]
    f, g = (L_a - _finite(L)).exp()[:, None], (L_b - _finite(L)).exp()[:, None]
    found: dict[str, Pair] = {
        "Your output is the plain mean of both. Weight each half by exp(L), the total weight of "
        "its keys.": (
            (O_a + O_b) / 2,
            None,
        ),
        "Your output is the plain sum of both. The shares exp(L_a - L) and exp(L_b - L) are "
        "missing.": (O_a + O_b, None),
        "Your shares are L itself. L is a logarithm: the total weight of a half is exp(L).": (
            (L_a[:, None] * O_a + L_b[:, None] * O_b) / (L_a + L_b)[:, None],
            None,
        ),
        "Your output is not divided by the total weight. The shares are exp(L_a) and exp(L_b), "
        "each divided by their sum.": (e_a * O_a + e_b * O_b, None),
        "The shares of a and b are swapped.": (g * O_a + f * O_b, None),
        "Your L is the larger of both. The weights add up: L = log(exp(L_a) + exp(L_b)).": (
            None,
            torch.maximum(L_a, L_b),
        ),
        "Your L is the sum of both logarithms. The weights add up, not their logarithms.": (
            None,
            L_a + L_b,
        ),
        "Your L is the total weight itself. Take its logarithm.": (None, L_a.exp() + L_b.exp()),
        "Your L is the mean of both.": (None, (L_a + L_b) / 2),
    }
    if out.shape[0] == out.shape[1]:
        found["Your shares multiply the columns of O: give them an axis, [:, None]."] = (
            f[:, 0] * O_a + g[:, 0] * O_b,
            None,
        )
    return told_apart(found, right)


# -- tiles -----------------------------------------------------------------------------------------


@later
def tiled_mistakes(
    Q: Tensor, K: Tensor, V: Tensor, rows: int, columns: int, pad: int
) -> dict[str, Pair]:
    """What known mistakes make of causal attention behind padding, tile by tile."""
    n, d = Q.shape
    right = out, L = tiled_of(Q, K, V, pad)
    i, j = torch.arange(n)[:, None], torch.arange(n)
    seen, there = seen_of(n, pad), j >= pad
    scores = Q @ K.mT / math.sqrt(d)
    hidden = scores.masked_fill(~seen, -math.inf)
    empty = ~seen.any(1, keepdim=True)
    m = hidden.amax(1)
    last = n // columns * columns
    found: dict[str, Pair] = {
        "acc is not corrected when a tile brings a larger score: multiply it by exp(m - m_new) "
        "before you add.": _walked(hidden, V, columns, acc=False),
        "l is not corrected when a tile brings a larger score: multiply it by exp(m - m_new) "
        "before you add.": _walked(hidden, V, columns, sums=False),
        "Neither l nor acc is corrected when a tile brings a larger score: multiply both by "
        "exp(m - m_new).": _walked(hidden, V, columns, acc=False, sums=False),
        "Your scores are not scaled: divide by √d_k.": _whole(Q * math.sqrt(d), K, V, seen),
        "Your scores are divided by d_k: divide by its square root, √d_k.": (
            _whole(Q / math.sqrt(d), K, V, seen)
        ),
        "Nothing hides later keys: query i sees keys up to i.": _whole(Q, K, V, there.expand(n, n)),
        "The padding may be attended to: the first pad keys are hidden from every query.": (
            _whole(Q, K, V, j <= i)
        ),
        "No query sees its own key: j ≤ i, the diagonal included.": (
            _whole(Q, K, V, seen & (j != i))
        ),
        "Each query sees the next key as well: j ≤ i, no further.": (
            _whole(Q, K, V, there & (j <= i + 1))
        ),
        "You hide one padding key too few. With pad = 2, keys 0 and 1 are padding.": (
            _whole(Q, K, V, (j <= i) & (j >= pad - 1))
        ),
        "You hide one key too many. With pad = 2, keys 0 and 1 are padding, and key 2 is not.": (
            _whole(Q, K, V, (j <= i) & (j > pad))
        ),
        "Your mask numbers rows and columns from the corner of the tile. Query i + r may see "
        "key j + c: count from the corner of the whole matrix.": (
            _whole(Q, K, V, there & (j % columns <= i % rows) & (j // columns <= i // rows))
        ),
        "You leave out the last keys. n need not be a multiple of the tile, and then the last "
        "tile is narrower.": (_whole(Q, K, V, seen & (j < last))),
        "The output is not divided by l.": (out * (L - _finite(m)).exp()[:, None], None),
        "Your L is m alone: L = m + log(l).": (None, m),
        "Your L is log(l) alone: L = m + log(l).": (
            None,
            torch.where(empty[:, 0], -math.inf, L - _finite(m)),
        ),
        "Your L is m + l. The logarithm is missing: L = m + log(l).": (
            None,
            m + (L - _finite(m)).exp(),
        ),
    }
    if bool(empty.any()):
        mean = torch.where(empty, V.mean(0), out)
        found[
            "A query that may attend to nothing gets the mean of the values. Its output must be "
            "zeros: with hidden scores of -∞, no key gets weight."
        ] = (mean, None)
    return told_apart(found, right)


@later
def count_mistakes(n: int, rows: int, columns: int, pad: int) -> dict[str, int]:
    """What known mistakes make of the number of tiles that are computed."""
    i, j = torch.arange(n)[:, None], torch.arange(n)
    seen, there = seen_of(n, pad), (j >= pad).expand(n, n)
    down, across = math.ceil(n / rows), math.ceil(n / columns)
    found = {
        "You count all tiles. Leave out a tile in which every score is hidden.": down * across,
        "You count tiles that hold only padding. Leave them out, too.": (
            _tiles(j <= i, rows, columns)
        ),
        "You count only tiles in which no score is hidden. Those on the diagonal are needed, "
        "too.": _tiles(seen, rows, columns, every=True),
        "You leave out the last, narrower column of tiles.": (
            _tiles(seen[:, : n // columns * columns], rows, columns)
        ),
        "You leave out a tile whose first query sees nothing of it. Its last query may see some.": (
            sum(
                bool(seen[a, b : b + columns].any())
                for a, b in product(range(0, n, rows), range(0, n, columns))
            )
        ),
        "You count whole tiles. The last row and the last column of tiles may be narrower.": (
            _tiles(seen[: n // rows * rows, : n // columns * columns], rows, columns)
        ),
    }
    if pad:
        found["You count tiles that lie wholly above the diagonal. Leave them out."] = _tiles(
            there, rows, columns
        )
    return told_once(others(found, tiles_of(n, rows, columns, pad)))


# -- where the causal mask is aligned --------------------------------------------------------------


@later
def aligned_mistakes(Q: Tensor, K: Tensor, V: Tensor, rows: int = 2) -> dict[str, Tensor]:
    """What known mistakes make of causal attention to keys that were cached."""
    T, S = len(Q), len(K)
    i, j = torch.arange(T)[:, None], torch.arange(S)
    stop = (i // rows + 1) * rows  # where the published loop ends
    right, causal = aligned_of(Q, K, V), _causal(T, S, S - T)
    masks = {
        "This is what `published_attention` does: query i sees keys 0 to i. The new queries are "
        "the last of the text, not the first.": _causal(T, S, 0),
        "The mask is right now, but the loop over the keys still ends too early. `stop` also "
        "assumes that the queries are the first of the text.": causal & (j < stop),
        "Your mask is shifted one position too far: query i sees keys up to S - T + i.": (
            _causal(T, S, S - T + 1)
        ),
        "Your mask is shifted one position too little: query i sees keys up to S - T + i, its own "
        "included.": _causal(T, S, S - T - 1),
        "Your mask is shifted the wrong way: the shift is S - T, not T - S.": _causal(T, S, T - S),
        "Nothing is hidden: queries see later keys.": torch.ones(T, S, dtype=torch.bool),
    }
    found = {message: _whole(Q, K, V, mask)[0] for message, mask in masks.items()}
    empty = ~causal.any(1, keepdim=True)
    if bool(empty.any()):
        found[
            "A query before the first key gets the mean of the values: its output must be zeros."
        ] = torch.where(empty, V.mean(0), right)
        found["A query before the first key sees the first key: its output must be zeros."] = (
            torch.where(empty, V[0], right)
        )
        found["The queries that see nothing are missing. Their outputs are rows of zeros."] = right[
            ~empty[:, 0]
        ]
    return told_once(others(found, right))


# -- parts -----------------------------------------------------------------------------------------


def _finite(m: Tensor) -> Tensor:
    """With 0 for -∞: nothing was seen, and nothing need be subtracted."""
    return torch.where(m == -math.inf, torch.zeros_like(m), m)


def _causal(T: int, S: int, shift: int) -> Tensor:
    return torch.arange(S) <= torch.arange(T)[:, None] + shift


def _whole(Q: Tensor, K: Tensor, V: Tensor, seen: Tensor) -> tuple[Tensor, Tensor]:
    s = (Q @ K.mT / math.sqrt(Q.shape[1])).masked_fill(~seen, -math.inf)
    m, total, acc = kept_of(s, V)
    return acc / torch.where(total > 0, total, 1.0)[:, None], m + total.log()


def _walked(s: Tensor, V: Tensor, columns: int, sums: bool = True, acc: bool = True) -> Pair:
    """Tile by tile, with or without the corrections of the sums."""
    m = s.new_full((len(s),), -math.inf)
    total, out = torch.zeros_like(m), V.new_zeros(len(s), V.shape[1])
    for j in range(0, s.shape[1], columns):
        new = torch.maximum(m, s[:, j : j + columns].amax(1))
        f = (m - _finite(new)).exp()
        p = (s[:, j : j + columns] - _finite(new)[:, None]).exp()
        total = (f if sums else 1) * total + p.sum(1)
        out = (f[:, None] if acc else 1) * out + p @ V[j : j + columns]
        m = new
    return out / torch.where(total > 0, total, 1.0)[:, None], m + total.log()


def _tiles(seen: Tensor, rows: int, columns: int, every: bool = False) -> int:
    n, S = seen.shape
    corners = product(range(0, n, rows), range(0, S, columns))
    tiles = (seen[i : i + rows, j : j + columns] for i, j in corners)
    return sum(bool(tile.all() if every else tile.any()) for tile in tiles)
