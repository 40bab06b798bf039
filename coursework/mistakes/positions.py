"""Wrong ways to tell attention where a token stands, by codes and by turning, and what to say.

Each function gives message → what that mistake would have returned, for the ``mistakes`` of
:func:`nbjudge.testing.close`, which tells the message whose numbers came back. What
is added to the scores is in :mod:`coursework.mistakes.offsets`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from coursework.mistakes.later import later

BASE_UNUSED = "Your base is always 10000. Use `base`."

#: Told where positions without a gap begin later than 0: counting them from 0, and taking the
#: first one away from all, is the same there.
FROM_ZERO = "Your positions always start at 0. Use `positions` as given."


@later
def narrow_mistakes(found: object, right: Tensor) -> dict[str, Tensor]:
    """Work that went through 32 bits: known by how near it comes to ``right``, of 64 bits.

    Nobody can say which digits it ends in, so what came back itself stands in the answer where
    it is as near as angles of 32 bits are, and no nearer.

    Parameters
    ----------
    found:
        What came back.
    right:
        The right answer, of 64 bits.
    """
    if not isinstance(found, Tensor) or found.shape != right.shape or found.dtype != right.dtype:
        return {}
    off = (found - right).abs().max().item()
    message = (
        "Only the first digits are right, as with 32-bit numbers. Look for a step in 32 bits: "
        "`torch.arange(...)` divided, `torch.tensor(...)` and `.float()` give 32 bits if no "
        "dtype is passed."
    )
    return {message: found} if 1e-9 < off < 1e-2 else {}


def _in_a_row(positions: Tensor) -> bool:
    """Whether each position is the one before it plus 1, so that only the first one matters."""
    return torch.equal(positions - positions[0], torch.arange(len(positions)).to(positions))


@later
def sinusoid_mistakes(positions: Tensor, d: int, base: float = 1e4) -> dict[str, Tensor]:
    """What known mistakes make of the codes ``(N, d)`` of these positions ``(N,)``."""
    column = torch.arange(d, dtype=positions.dtype)
    even = column - column % 2  # the 2i of the formula, for each column

    def codes(exponent: Tensor, positions: Tensor = positions, base: float = base) -> Tensor:
        angle = positions[:, None] / base**exponent
        return torch.where(column % 2 == 0, angle.sin(), angle.cos())

    right = codes(even / d)
    angle = positions[:, None] / base ** (even / d)
    twice = (
        "Your exponents are twice too large. If i already runs 0, 2, 4, ..., the exponent is i/d."
    )
    if d == 4:  # where dividing by d - 2, and rounding, come to the same
        twice = (
            "Your exponents are 0 and 1, but at width 4 they are 0 and 1/2. If i runs 0, 2, "
            "..., do not double it. Do you divide by d - 2, or round, as by `//`?"
        )
    found = {
        "Sine and cosine of a pair share one frequency: column 2i + 1 has the exponent 2i/d, "
        "too. Yours has (2i + 1)/d.": codes(column / d),
        twice: codes(2 * even / d),
        "Your exponents are half as large as they should be: for pair i it is 2i/d, not i/d.": (
            codes(even / (2 * d))
        ),
        "Your first pair has the exponent 2/d. Pairs are counted from i = 0 here, so that the "
        "first has the frequency 1. (UW's slide counts from 1.)": codes((even + 2) / d),
        "The exponent is not divided by d. It is 2i/d.": codes(even),
        f"You multiply by {base:g}^(2i/d). Divide the position by it, so that later pairs turn "
        "more slowly.": codes(-even / d),
        "All your pairs turn at the same speed: where is the exponent?": codes(0 * even),
        "Sine and cosine are swapped: even columns hold the sine.": torch.where(
            column % 2 == 0, angle.cos(), angle.sin()
        ),
        "Your sines come first, then all cosines. Here the two of a pair are side by side: sine "
        "in column 2i, cosine in column 2i + 1.": torch.cat([right[:, ::2], right[:, 1::2]], 1),
        "Your positions are one too large. Use the numbers in `positions` as given.": codes(
            even / d, positions + 1
        ),
        FROM_ZERO
        if _in_a_row(positions)
        else "You count the rows from 0 and leave `positions` unused.": codes(
            even / d, torch.arange(len(positions), dtype=positions.dtype)
        ),
        "Your codes are transposed: each position is a row.": right.mT,
        "There are only sines: odd columns hold the cosine.": angle.sin(),
        "There are only cosines: even columns hold the sine.": angle.cos(),
        "You return the angles, before sine and cosine.": angle,
    }
    if base != 1e4:
        found[BASE_UNUSED] = codes(even / d, base=1e4)
    if d > 2 and d != 4:
        found[
            "Your exponents run to exactly 1 in the last pair: they are 2i/d, so the last one is "
            "(d - 2)/d."
        ] = codes(even / (d - 2))
    return found


@later
def wavelength_mistakes(d: int, base: float = 1e4) -> dict[str, Tensor]:
    """What known mistakes make of the wavelengths ``(d / 2,)``."""
    even = torch.arange(0, d, 2).double()
    right = 2 * math.pi * base ** (even / d)
    found = {
        "The 2π is missing: a sine repeats when its angle has grown by 2π.": right / (2 * math.pi),
        "These are the frequencies. The wavelength is the number of positions after which the "
        "angle has grown by 2π.": 2 * math.pi / right,
        "Your wavelengths fall. Slower pairs have longer wavelengths.": 2
        * math.pi
        * base ** (-even / d),
        "Your wavelength is half of a period: a sine repeats at 2π.": right / 2,
        "You return a wavelength for each column. The two columns of a pair share theirs.": (
            right.repeat_interleave(2)
        ),
        "Your wavelengths are in reverse order. The fastest pair comes first.": right.flip(0),
        "Your first pair has the exponent 2/d: pairs are counted from i = 0.": right
        * base ** (2 / d),
        "Your exponents are twice too large. If i already runs 0, 2, 4, ..., the exponent is "
        "i/d.": right**2 / (2 * math.pi),
        "Your exponents are half as large as they should be: for pair i it is 2i/d, not i/d.": (
            2 * math.pi * base ** (even / (2 * d))
        ),
    }
    if base != 1e4:
        found[BASE_UNUSED] = 2 * math.pi * 1e4 ** (even / d)
    if d > 2:
        found[
            f"Your last one is exactly 2π · {base:g}. The exponents are 2i/d, and i goes to "
            "d/2 - 1: the last is (d - 2)/d, a little less than 1."
        ] = 2 * math.pi * base ** (even / (d - 2))
    return {message: each.float() for message, each in found.items()}


@later
def shift_mistakes(k: float, theta: Tensor) -> dict[str, Tensor]:
    """What known mistakes make of the matrix ``(d, d)`` that shifts codes by ``k``."""
    cos, sin = (k * theta).cos(), (k * theta).sin()

    def blocks(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
        return torch.block_diag(*torch.stack([a, b, c, d], -1).view(-1, 2, 2))

    right = blocks(cos, -sin, sin, cos)
    diag = torch.diag
    back = "Does k lose its sign, or is your matrix" if k < 0 else "Is yours"
    return {
        "Your matrix shifts the other way, by -k: here codes are rows, p M. "
        f"{back} meant for columns, M p?": right.mT,
        "Your blocks have the same sign twice. cos(t + k) = cos t cos k - sin t sin k.": blocks(
            cos, sin, sin, cos
        ),
        "Your blocks have a minus twice. sin(t + k) = sin t cos k + cos t sin k.": blocks(
            cos, -sin, -sin, cos
        ),
        "Your matrix fits codes with the cosine first. Here the sine comes before the cosine. "
        "Or it fits columns, not rows.": blocks(sin, cos, cos, -sin),
        "Your matrix fits codes whose sines all come before their cosines. Here the two numbers "
        "of a pair are side by side: 2 × 2 blocks along the diagonal.": torch.cat(
            [torch.cat([diag(cos), -diag(sin)], 1), torch.cat([diag(sin), diag(cos)], 1)], 0
        ),
        "Your matrix does not depend on k: the angle of a pair grows by k θ.": blocks(
            theta.cos(), -theta.sin(), theta.sin(), theta.cos()
        ),
        "Your matrix raises each number of the shift by 1 to the power k. Multiply the matrix "
        "by itself, or the angle by k.": blocks(theta.cos(), -theta.sin(), theta.sin(), theta.cos())
        ** k,
        "All your blocks turn by the same angle: pair i has the frequency theta[i].": blocks(
            cos[:1].expand_as(cos),
            -sin[:1].expand_as(sin),
            sin[:1].expand_as(sin),
            cos[:1].expand_as(cos),
        ),
        "Your blocks are in reverse order. Pair 0 comes first.": blocks(
            *(part.flip(0) for part in (cos, -sin, sin, cos))
        ),
        "Your matrix has only the cosines. The sine of the next position needs the cosine of this "
        "one, too.": diag(cos.repeat_interleave(2)),
    }


@later
def similarity_mistakes(k: float, theta: Tensor) -> dict[str, float]:
    """What known mistakes make of the dot product of two codes ``k`` apart.

    None for a code with itself, where all sorts of mistakes come to 0 or 1.
    """
    if k == 0:
        return {}
    cos, sin = (k * theta).cos().sum().item(), (k * theta).sin().sum().item()
    return {
        "You divide by the number of pairs, or by the lengths of the codes. A dot product is a "
        "sum.": cos / len(theta),
        "That is the dot product of one half of the columns, or the sum of the sines: "
        "sin a sin b + cos a cos b = cos(a - b).": sin,
        "Each pair counts twice: sin a sin b + cos a cos b is one cosine.": 2 * cos,
        "You take the sum of the angles. cos a cos b + sin a sin b is the cosine of their "
        "difference.": math.cos(k * theta.sum().item()),
        "That is the squared distance of the two codes. Return their dot product.": 2 * len(theta)
        - 2 * cos,
        "Your similarity does not depend on k.": theta.cos().sum().item(),
    }


@later
def rotary_mistakes(
    x: Tensor, positions: Tensor, theta: Tensor, pairing: str = "interleaved"
) -> dict[str, Tensor]:
    """What known mistakes make of ``x`` ``(..., T, K)`` turned by its positions ``(T,)``."""
    half = len(theta)
    angle = positions[:, None] * theta

    def split(pairing: str) -> tuple[Tensor, Tensor]:
        if pairing == "interleaved":
            return x[..., 0::2], x[..., 1::2]
        return x[..., :half], x[..., half:]

    def joined(pairing: str, a: Tensor, b: Tensor) -> Tensor:
        if pairing == "interleaved":
            return torch.stack([a, b], -1).flatten(-2)
        return torch.cat([a, b], -1)

    def turned(
        angle: Tensor = angle, read: str = pairing, write: str = pairing, plus: bool = False
    ) -> Tensor:
        a, b = split(read)
        cos, sin = angle.cos(), angle.sin()
        return joined(write, a * cos + b * sin if plus else a * cos - b * sin, a * sin + b * cos)

    other = "halves" if pairing == "interleaved" else "interleaved"
    pairs = {
        "interleaved": "(0, 1), (2, 3), ...",
        "halves": "(0, K/2), (1, K/2 + 1), ...",
    }
    a, b = split(pairing)
    cos, sin = angle.cos(), angle.sin()
    first = a * cos - b * sin
    found = {
        "You rotate the wrong way. (a, b) becomes (a cos - b sin, a sin + b cos).": turned(-angle),
        f'Your pairs are those of "{other}". For "{pairing}" they are {pairs[pairing]}.': turned(
            read=other, write=other
        ),
        "You read the right pairs, but write them to the columns of the other pairing. Each "
        "number goes back to where it was.": turned(write=other),
        "You read the pairs from the columns of the other pairing, but write them to the right "
        "columns.": turned(read=other),
        "Both of your terms have a plus. In a rotation one of them has a minus: a cos - b sin.": (
            turned(plus=True)
        ),
        "You compute the second number of a pair from the first one after its rotation. Keep "
        "the old a until b is done. Look for an assignment in place.": joined(
            pairing, first, first * sin + b * cos
        ),
        "Your first token is rotated as if it were one position further on. `positions` says where "
        "a token is.": turned((positions + 1)[:, None] * theta),
        "Your row is unchanged. Do you rotate it, and by `positions`, not by 0, 1, 2, …?"
        if len(positions) == 1
        else FROM_ZERO
        if _in_a_row(positions)
        else "You count the tokens from 0 and leave `positions` unused.": turned(
            torch.arange(len(positions))[:, None] * theta
        ),
        "All your pairs turn at the same speed: pair i turns by position · theta[i].": turned(
            positions[:, None] * theta[:1].expand_as(theta)
        ),
        "Your frequencies are in reverse order: pair i turns by position · theta[i].": turned(
            positions[:, None] * theta.flip(0)
        ),
        "All tokens are rotated by the sum of the positions, or by one position. Token t is at "
        "positions[t].": turned(positions[-1:, None] * theta),
        "Your rows are unchanged: nothing is rotated.": x,
        "You use only the cosines. A rotation mixes the two numbers of a pair.": joined(
            pairing, a * cos, b * cos
        ),
        "You rotate only the first number of each pair. The second becomes a sin + b cos.": joined(
            pairing, first, b
        ),
    }
    doubled = {  # the angle of each column, laid out for one pairing, used with the other
        "interleaved": angle.repeat_interleave(2, -1),
        "halves": torch.cat([angle, angle], -1),
    }[other]
    partner = joined(pairing, -b, a)
    found[
        "Cosines and sines are arranged for the other pairing. The two numbers of a pair must "
        "be rotated by the same angle."
    ] = x * doubled.cos() + partner * doubled.sin()
    if x.ndim > 2 and x.shape[-3] == len(positions):
        each = (positions[:, None] * theta)[:, None]
        found[
            "Your positions run along the axis before the tokens, the heads or the sequences. "
            "The tokens are the last axis but one."
        ] = turned(each)
    return found


@later
def halves_mistakes(W: Tensor, heads: int) -> dict[str, Tensor]:
    """What known mistakes make of ``W`` ``(D, heads · K)`` reordered for pairs in halves."""
    D = len(W)
    found = {
        "Nothing is reordered: each pair is where it was.": W,
        "You reorder in the wrong direction, from halves to interleaved. Column i of the result "
        "is column 2i of the head, and column K/2 + i is column 2i + 1.": (
            W.reshape(D, heads, 2, -1).mT.reshape(D, -1)
        ),
        "You reorder all columns at once, which mixes the heads. Reorder the K columns of each "
        "head by themselves.": W.reshape(D, -1, 2).mT.reshape(D, -1),
        "Your second numbers of the pairs come first. Put the first numbers first.": W.reshape(
            D, heads, -1, 2
        )
        .flip(-1)
        .mT.reshape(D, -1),
        "The two numbers of each pair are swapped.": (
            W.reshape(D, heads, -1, 2).flip(-1).reshape(D, -1)
        ),
    }
    if D % (2 * heads) == 0:
        message = "You reorder the rows. A head's queries are x W, so its numbers are columns of W."
        found[message] = W.reshape(heads, -1, 2, W.shape[1]).transpose(1, 2).reshape(W.shape)
    return found
