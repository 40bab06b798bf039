"""Wrong ways to let scores depend on the distance that learners are known to take, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from coursework.mistakes.later import later


def _slopes(heads: int) -> list[float]:
    """As ALiBi has them, for a number of heads that is a power of two."""
    return [2 ** (-8 * h / heads) for h in range(1, heads + 1)]


@later
def slope_mistakes(heads: int) -> dict[str, Tensor]:
    """What known mistakes make of ALiBi's slopes ``(H,)``."""
    power = 2 ** math.floor(math.log2(heads))
    h = torch.arange(1, heads + 1).double()
    found = {
        "Your first head has the slope 1, or the first slope is one step too steep. h counts "
        "from 1.": 2 ** (-8 * (h - 1) / heads),
        "Your slopes grow: the exponent is -8h/H.": 2 ** (8 * h / heads),
        "Your slopes are in reverse order. The steepest comes first.": 2
        ** (-8 * h.flip(0) / heads),
        "Your slopes are negative. A slope is positive: the minus belongs to the bias.": -(
            2 ** (-8 * h / heads)
        ),
        "Those are the exponents. The slope is 2 to their power.": -8 * h / heads,
        "Your exponents are rounded to whole numbers, as by `//`. -8h/H need not be whole.": 2.0
        ** (-8 * h / heads).floor(),
        "Your slopes lie on a straight line. Each slope is the one before it times the same "
        "factor.": torch.linspace(2 ** (-8 / heads), 2**-8, heads).double(),
    }
    if heads == 4 or power != 4:  # those of 8 heads are 1/2, 1/4, ... themselves
        found[
            "Your slopes are 1/2, 1/4, 1/8, ... for any number of heads. The exponents are "
            "-8h/H, so that the last slope is 1/256."
        ] = 2**-h
    if power == heads:
        return {message: each.float() for message, each in found.items()}
    more, twice = heads - power, _slopes(2 * power)
    first = _slopes(power)
    lists = {
        "The number of heads is not a power of two, but you still take 2^(-8h/H). Take the "
        f"slopes of {power} heads, then every other one of {2 * power} heads.": _slopes(heads),
        f"You take the first slopes of {2 * power} heads. Take all those of {power} heads, then "
        f"every other one of {2 * power} heads.": twice[:heads],
        f"Of the slopes of {2 * power} heads you take the second, the fourth, ...: those are the "
        f"slopes of {power} heads once more. Take the first, the third, ..."
        + (" Or are your exponents rounded to whole numbers?" if power == 8 else ""): first
        + twice[1::2][:more],
        f"Of the slopes of {2 * power} heads you take the first ones in a row: take every other "
        "one.": first + twice[:more],
        f"Of the slopes of {2 * power} heads you take every other one from the end. Start at the "
        "front.": first + twice[0::2][power - more :],
        "Your slopes are sorted. The extra ones come last.": sorted(
            first + twice[0::2][:more], reverse=True
        ),
        f"The extra slopes come first. The slopes of {power} heads come first.": twice[0::2][:more]
        + first,
    }
    made = {message: torch.tensor(each).double() for message, each in lists.items()}
    return {message: each.float() for message, each in {**made, **found}.items()}


@later
def alibi_mistakes(slopes: Tensor, T: int, S: int) -> dict[str, Tensor]:
    """What known mistakes make of ALiBi's bias ``(H, T, S)``."""
    j, i = torch.arange(S), torch.arange(S - T, S)[:, None]
    m = slopes[:, None, None]
    right = -m * (j - i).abs()
    found = {
        "Your bias is positive, so it rewards distance. It is a penalty, -m |i - j|.": -right,
        "Your distances have a sign, so keys after the query are rewarded. It is |i - j|.": (
            m * (j - i)
        ),
        "Your distances have a sign, so keys before the query are rewarded. It is |i - j|.": (
            m * (i - j)
        ),
        "Your distances are one too large. A token is at distance 0 from itself.": -m
        * ((j - i).abs() + 1),
        "The slopes are not used: each head has its own.": -torch.ones_like(m) * (j - i).abs(),
        "Your code squares the distance. The penalty grows linearly.": -m * (j - i) ** 2,
        "Your code hides keys after the query. That is the mask's job: the bias is -m |i "
        "- j| on both sides.": right.masked_fill(j > i, -math.inf),
        "Your code gives keys after the query no penalty. The bias is -m |i - j| on both "
        "sides.": right.masked_fill(j > i, 0.0),
        "Your bias is the same for all queries, counted from the last key. Behind a causal mask "
        "the softmax would not notice, as each row is only shifted by one number. Here it is -m "
        "|i - j|.": (-m * (S - 1 - j)).expand(-1, T, -1).contiguous(),
        "Your code puts the heads last. The bias is (H, T, S).": right.permute(1, 2, 0),
        "Your bias has an axis for the batch. It should be (H, T, S).": right[None],
    }
    if T < S:
        found = {
            "Your first query is at position 0. If there are fewer queries than keys, the "
            "queries are the last T of S positions: query t is at S - T + t.": -m
            * (j - torch.arange(T)[:, None]).abs(),
            "The axes of queries and keys are swapped: the bias is (H, T, S).": right.mT,
            **found,
        }
    return found


@later
def relative_mistakes(q: Tensor, a: Tensor, S: int) -> dict[str, Tensor]:
    """What known mistakes make of Shaw's bias ``(..., T, S)``.

    Parameters
    ----------
    q:
        Queries ``(..., T, K)``.
    a:
        A vector for each offset, ``(2 L + 1, K)``.
    S:
        The number of keys.
    """
    T, K = q.shape[-2:]
    L = len(a) // 2
    offset = torch.arange(S) - torch.arange(S - T, S)[:, None]

    later = "Offsets above 0 have their own rows. Hiding later keys is the mask's job."

    def bias(index: Tensor, factor: float = K**-0.5) -> Tensor:
        return torch.einsum("...tk,tsk->...ts", q, a[index]) * factor

    index = offset.clamp(-L, L) + L
    right = bias(index)
    found = {
        "Your offsets are i - j: row L of the table is offset 0, row L + 1 the key that comes "
        "after the query, j - i = 1.": bias(2 * L - index),
        "The bias is not scaled. Divide it by √d_k, like the scores.": bias(index, 1.0),
        "The bias is divided by d_k. Divide by its square root.": bias(index, 1 / K),
        "You use offsets as row numbers without adding L, and PyTorch counts negative ones from "
        "the end. Offset -L is row 0: add L.": bias(offset.clamp(-L, L)),
        "Offsets below 0 all get row 0, or those beyond the table the last row. Clip to -L ... "
        "L first, then add L.": bias(offset.clamp(0, 2 * L)),
        "Your offsets wrap around instead of being clipped. Beyond L on either side, use the "
        "outermost row.": bias((offset + L) % (2 * L + 1)),
        "Your code gives keys further than L no bias. They share the outermost row.": right.where(
            offset.abs() <= L, torch.zeros(())
        ),
        "Your code hides keys further than L. They share the outermost row.": right.masked_fill(
            offset.abs() > L, -math.inf
        ),
        f"Your code gives keys after the query no bias. {later}": right.masked_fill(
            offset > 0, 0.0
        ),
        f"Your code hides keys after the query. {later}": right.masked_fill(offset > 0, -math.inf),
        "The outermost rows of the table are not used: clip to -L ... L.": bias(
            offset.clamp(1 - L, L - 1) + L
        ),
        "Your bias does not depend on the query. It is the dot product of q_i with the offset's "
        "vector.": (a[index].sum(-1) * K**-0.5).expand(*q.shape[:-1], S).contiguous(),
        "Your bias ignores direction. Offsets before and after the query have their own rows.": (
            bias(offset.abs().clamp(max=L) + L)
        ),
    }
    if T < S:
        early = torch.arange(S) - torch.arange(T)[:, None]
        found = {
            "Your first query is at position 0. If there are fewer queries than keys, the "
            "queries are the last T of S positions: query t is at S - T + t.": bias(
                early.clamp(-L, L) + L
            ),
            **found,
        }
    if T == S:
        message = "The axes of queries and keys are swapped: row i belongs to query i."
        found[message] = right.mT
    return found


@later
def place_mistakes(x: Tensor, table: Tensor, start: int = 0) -> dict[str, Tensor]:
    """What known mistakes make of tokens ``(B, T, D)`` with codes ``(longest, D)`` added."""
    B, T = x.shape[:2]
    found = {}
    if start + B <= len(table):
        found[
            "Every token of a sequence gets the same code, chosen by the sequence's number in "
            "the batch. Along which axis of x does your table run?"
        ] = x + table[start : start + B, None]
    if start:
        found["The first token gets the code of position 0. It is at position `start`."] = (
            x + table[:T]
        )
        if len(table) >= B:
            found[
                "Every token of a sequence gets the same code, chosen by the sequence's number "
                "in the batch, and `start` is not used."
            ] = x + table[:B, None]
    return found | {
        "All tokens get the code of the first one.": x + table[start],
        "All tokens get the code of the last one.": x + table[start + T - 1],
        "No code is added.": x,
        "You return the codes alone. Add them to x.": (
            table[start : start + T].expand_as(x).contiguous()
        ),
        "You multiply x by the codes. Add them.": x * table[start : start + T],
        "Batch and tokens are swapped in your result.": (x + table[start : start + T]).transpose(
            0, 1
        ),
        "You add the codes twice.": x + 2 * table[start : start + T],
    }
