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

BASE_UNUSED = "Your base is 10000 whatever is given: use `base`."

#: Told where positions without a gap begin later than 0: counting them from 0, and taking the
#: first one away from all, is the same there.
FROM_ZERO = (
    "Your positions start at 0 again: use `positions` as they are, whatever the first of them is."
)


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
        "Right to the first digits alone, as numbers of 32 bits are: something on the way has "
        "them. `torch.arange(...)` divided, `torch.tensor(...)` and `.float()` give 32 bits where "
        "no dtype is passed."
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
    twice = "Your exponents are twice too large. Where i already runs 0, 2, 4, ... it is i/d."
    if d == 4:  # where dividing by d - 2, and rounding, come to the same
        twice = (
            "Your exponents are 0 and 1, at width 4 they are 0 and 1/2. Does i run 0, 2, ... and "
            "is doubled once more? Is it divided by d - 2, or rounded, as by `//`?"
        )
    found = {
        "Sine and cosine of a pair share one frequency: column 2i + 1 has the exponent 2i/d too. "
        "Yours has (2i + 1)/d.": codes(column / d),
        twice: codes(2 * even / d),
        "Your exponents are half as large as they should be: for pair i it is 2i/d, not i/d.": (
            codes(even / (2 * d))
        ),
        "Your first pair has the exponent 2/d. Pairs are counted from i = 0 here, so that the "
        "first has the frequency 1. (UW's slide counts from 1.)": codes((even + 2) / d),
        "The exponent is not divided by d: it is 2i/d.": codes(even),
        f"You multiply by {base:g}^(2i/d): the position is divided by it, so that later pairs turn "
        "more slowly.": codes(-even / d),
        "All your pairs turn at the same speed: where is the exponent?": codes(0 * even),
        "Sine and cosine have changed places: even columns hold the sine.": torch.where(
            column % 2 == 0, angle.cos(), angle.sin()
        ),
        "Your sines stand first and then all cosines. Here the two of a pair stand side by side: "
        "sine in column 2i, cosine in column 2i + 1.": torch.cat(
            [right[:, ::2], right[:, 1::2]], 1
        ),
        "Your first position is one further than it should be: the numbers in `positions` are the "
        "positions.": codes(even / d, positions + 1),
        FROM_ZERO
        if _in_a_row(positions)
        else "You count the rows from 0 and leave `positions` unused.": codes(
            even / d, torch.arange(len(positions), dtype=positions.dtype)
        ),
        "Your codes are turned round: one position in a row.": right.mT,
        "There are only sines: odd columns hold the cosine.": angle.sin(),
        "There are only cosines: even columns hold the sine.": angle.cos(),
        "You give back the angles, before sine and cosine.": angle,
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
        "The 2π is missing: a sine comes round when its angle has grown by 2π.": right
        / (2 * math.pi),
        "These are the frequencies. The wavelength is the number of positions after which the "
        "angle has grown by 2π.": 2 * math.pi / right,
        "Your wavelengths fall: slow pairs take longer to come round.": 2
        * math.pi
        * base ** (-even / d),
        "After half of your wavelength a sine has the other sign: it comes round at 2π.": right / 2,
        "You have one for each column: the two columns of a pair share theirs.": (
            right.repeat_interleave(2)
        ),
        "They stand in the other order: the fastest pair comes first.": right.flip(0),
        "Your first pair has the exponent 2/d: pairs are counted from i = 0.": right
        * base ** (2 / d),
        "Your exponents are twice too large: where i already runs 0, 2, 4, ... it is i/d.": right**2
        / (2 * math.pi),
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
        "Your blocks have the same sign twice: cos(t + k) = cos t cos k - sin t sin k.": blocks(
            cos, sin, sin, cos
        ),
        "Your blocks have a minus twice: sin(t + k) = sin t cos k + cos t sin k.": blocks(
            cos, -sin, -sin, cos
        ),
        "Your matrix fits codes with the cosine first: here the sine stands before the "
        "cosine. Or it fits columns, not rows.": blocks(sin, cos, cos, -sin),
        "Your matrix fits codes whose sines all stand before their cosines. Here the two numbers "
        "of a pair stand side by side: 2 × 2 blocks along the diagonal.": torch.cat(
            [torch.cat([diag(cos), -diag(sin)], 1), torch.cat([diag(sin), diag(cos)], 1)], 0
        ),
        "Your matrix does not depend on k: the angle of a pair grows by k θ.": blocks(
            theta.cos(), -theta.sin(), theta.sin(), theta.cos()
        ),
        "Your matrix raises each number of the shift by 1 to the power k: it is the matrix that "
        "is multiplied with itself, or the angle that is multiplied by k.": blocks(
            theta.cos(), -theta.sin(), theta.sin(), theta.cos()
        )
        ** k,
        "All your blocks turn by the same angle: pair i has the frequency theta[i].": blocks(
            cos[:1].expand_as(cos),
            -sin[:1].expand_as(sin),
            sin[:1].expand_as(sin),
            cos[:1].expand_as(cos),
        ),
        "Your blocks stand in the other order: pair 0 comes first.": blocks(
            *(part.flip(0) for part in (cos, -sin, sin, cos))
        ),
        "Only the cosines are there: the sine of the next place needs the cosine of this "
        "one too.": diag(cos.repeat_interleave(2)),
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
        "You divide by the number of pairs, or by the lengths of the codes: a dot product is a "
        "sum.": cos / len(theta),
        "That is the dot product of one half of the columns, or the sum of the sines: "
        "sin a sin b + cos a cos b = cos(a - b).": sin,
        "Each pair counts twice: sin a sin b + cos a cos b is one cosine.": 2 * cos,
        "You take the sum of the angles: cos a cos b + sin a sin b is the cosine of their "
        "difference.": math.cos(k * theta.sum().item()),
        "That is the squared distance of the two codes: their dot product is asked for.": 2
        * len(theta)
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
        "You turn the other way round: (a, b) becomes (a cos - b sin, a sin + b cos).": turned(
            -angle
        ),
        f'Your pairs are those of "{other}". For "{pairing}" they are {pairs[pairing]}.': turned(
            read=other, write=other
        ),
        "Your pairs are read rightly, and written to the places of the other pairing: each number "
        "goes back to where it was.": turned(write=other),
        "Your pairs are read from the places of the other pairing, and written rightly.": turned(
            read=other
        ),
        "Both of your terms have a plus: in a turn one of them has a minus, a cos - b sin.": turned(
            plus=True
        ),
        "The second number of a pair is made of the first one after it was turned: keep the old "
        "a until b is done. Look for an assignment in place.": joined(
            pairing, first, first * sin + b * cos
        ),
        "Your first token is turned as if it stood one further: it is `positions` that says where "
        "a token stands.": turned((positions + 1)[:, None] * theta),
        "Your row comes back as it was: is it turned at all, and by `positions`, not by places "
        "counted from 0?"
        if len(positions) == 1
        else FROM_ZERO
        if _in_a_row(positions)
        else "You count the tokens from 0 and leave `positions` unused.": turned(
            torch.arange(len(positions))[:, None] * theta
        ),
        "All your pairs turn at the same speed: pair i turns by position · theta[i].": turned(
            positions[:, None] * theta[:1].expand_as(theta)
        ),
        "Your frequencies stand in the other order: pair i turns by position · theta[i].": turned(
            positions[:, None] * theta.flip(0)
        ),
        "All tokens are turned by the sum of what they should be, or by one position: token t "
        "stands at positions[t].": turned(positions[-1:, None] * theta),
        "Your rows come back as they were: nothing is turned.": x,
        "Only the cosines are there: a turn mixes the two numbers of a pair.": joined(
            pairing, a * cos, b * cos
        ),
        "Only the first of each pair is turned: the second becomes a sin + b cos.": joined(
            pairing, first, b
        ),
    }
    doubled = {  # the angle of each column, laid out for one pairing, used with the other
        "interleaved": angle.repeat_interleave(2, -1),
        "halves": torch.cat([angle, angle], -1),
    }[other]
    partner = joined(pairing, -b, a)
    found[
        "Cosines and sines are laid out for the other pairing: the two numbers of a pair must be "
        "turned by the same angle."
    ] = x * doubled.cos() + partner * doubled.sin()
    if x.ndim > 2 and x.shape[-3] == len(positions):
        each = (positions[:, None] * theta)[:, None]
        found[
            "Your positions run along the axis before the tokens, the heads or the sequences: the "
            "tokens are the last axis but one."
        ] = turned(each)
    return found


@later
def halves_mistakes(W: Tensor, heads: int) -> dict[str, Tensor]:
    """What known mistakes make of ``W`` ``(D, heads · K)`` reordered for pairs in halves."""
    D = len(W)
    found = {
        "Nothing is reordered, or each pair is where it was.": W,
        "That is the way back, from halves to interleaved: column i of the result is column 2i of "
        "the head, column K/2 + i is column 2i + 1.": (
            W.reshape(D, heads, 2, -1).mT.reshape(D, -1)
        ),
        "You reorder all columns at once, and mix the heads: each head keeps its K columns and is "
        "reordered by itself.": W.reshape(D, -1, 2).mT.reshape(D, -1),
        "The second numbers of the pairs stand first: the first ones go to the first "
        "half.": W.reshape(D, heads, -1, 2).flip(-1).mT.reshape(D, -1),
        "The two numbers of each pair have changed places.": (
            W.reshape(D, heads, -1, 2).flip(-1).reshape(D, -1)
        ),
    }
    if D % (2 * heads) == 0:
        message = "You reorder the rows. A head's queries are x W, so its numbers are columns of W."
        found[message] = W.reshape(heads, -1, 2, W.shape[1]).transpose(1, 2).reshape(W.shape)
    return found
