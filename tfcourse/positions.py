"""Position encodings: seven schemes behind one interface.

Self-attention is blind to order. A position scheme can enter in three places; each scheme here
overrides the methods it needs:

- :meth:`Positions.embed`: codes are added to the tokens before the first layer, or joined
  to them (:class:`LearnedPositions`, :class:`SinusoidalPositions`, :class:`ConcatenatedPositions`);
- :meth:`Positions.rotate`: queries and keys are rotated beforehand (:class:`RotaryPositions`);
- :meth:`Positions.bias`: a bias is added to the scores (:class:`RelativePositions`,
  :class:`ALiBi`, :class:`TreePositions`).

With more keys than queries, the queries are the last ``T`` of ``S`` positions.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import (
    above_zero,
    at_least_one,
    axes,
    check_numbers,
    even,
    one_of,
    width,
)
from tfcourse.devices import exact_dtype

#: The position of the first token, which the others follow, or all positions ``(B, T)``.
Start = int | Int[Tensor, "B T"]


class Positions(nn.Module):
    """No positions at all; the base class of every scheme.

    ``start`` is the position of the first token, which the others follow, or the positions of all
    of them, ``(B, T)``, as when a prompt is padded at the start.
    """

    def embed(
        self, x: Float[Tensor, "*batch T D"], start: Start = 0
    ) -> Float[Tensor, "*batch T D"]:
        """Add their positions, from ``start`` on, to the tokens."""
        return x

    def rotate(
        self, x: Float[Tensor, "*batch T K"], start: Start = 0
    ) -> Float[Tensor, "*batch T K"]:
        """Rotate queries or keys by their positions, from ``start`` on."""
        return x

    def bias(self, q: Float[Tensor, "*batch T K"], S: int) -> Float[Tensor, "..."] | None:
        """What is added to the scores ``(..., H, T, S)``, or ``None``."""
        return None


class LearnedPositions(Positions):
    r"""One learned vector for each position: :math:`\tilde x_i = x_i + P_i`.

    ``P`` is ``(N, D)``, where N is ``context_length``; there is no code past the last position.

    Notes
    -----
    224N section 2.2, equation (12); UW "Learnable Position Representation Vectors"; KA "Learnable
    Positional Encoding"; UBC section 3.
    """

    def __init__(self, context_length: int, d_model: int) -> None:
        super().__init__()
        at_least_one(context_length=context_length, d_model=d_model)
        self.P = nn.Parameter(torch.empty(context_length, d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the vectors, small compared with the tokens."""
        nn.init.normal_(self.P, std=0.02)

    def embed(
        self, x: Float[Tensor, "*batch T D"], start: Start = 0
    ) -> Float[Tensor, "*batch T D"]:
        """Add the vectors of positions from ``start`` on; ``ValueError`` past the last one."""
        if isinstance(start, Tensor):
            try:
                return x + F.embedding(start, self.P)
            except IndexError:
                raise ValueError(
                    f"positions must lie between 0 and {len(self.P) - 1}, "
                    f"got {int(start.min())} to {int(start.max())}"
                ) from None
        stop = start + x.shape[-2]
        if stop > len(self.P):
            raise ValueError(
                f"the sequence must end within the {len(self.P)} learned positions, it ends at "
                f"{stop}: learned positions have no code past the training length"
            )
        return x + self.P[start:stop]


class SinusoidalPositions(Positions):
    r"""Sines and cosines of decreasing frequency, added to the tokens.

    .. math:: PE_{(pos, 2i)} = \sin(pos / 10000^{2i/d}) \qquad
              PE_{(pos, 2i+1)} = \cos(pos / 10000^{2i/d})

    Wavelengths range from :math:`2\pi` to :math:`10000 \cdot 2\pi`; ``base`` is this 10000, and
    ``d_model`` must be even.

    Notes
    -----
    Vaswani et al. 2017, section 3.5; UCB "Position encodings"; UW "Position Representation Vectors
    via Sinusoids"; KA "Sinusoidal Positional Encoding".
    """

    def __init__(self, d_model: int, base: float = 10_000.0) -> None:
        super().__init__()
        even(d_model=d_model)
        above_zero(base=base)
        self.d_model, self.base = d_model, base

    def table(self, positions: Tensor, dtype: torch.dtype = torch.float32) -> Float[Tensor, "*N D"]:
        """The codes of these positions, one per row."""
        # In float64: at large positions a float32 angle is already wrong in the third digit.
        exact = exact_dtype(positions.device)
        exponents = torch.arange(0, self.d_model, 2, device=positions.device).to(exact)
        angles = positions.to(exact)[..., None] / self.base ** (exponents / self.d_model)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(dtype)

    def embed(
        self, x: Float[Tensor, "*batch T D"], start: Start = 0
    ) -> Float[Tensor, "*batch T D"]:
        """Add the codes of positions ``start`` to ``start + T - 1``."""
        return x + self.table(_places(x, start), x.dtype)


class ConcatenatedPositions(Positions):
    r"""Codes concatenated with the tokens instead of added: :math:`\tilde x_i = [x_i W; p_i]`.

    The width stays the same: tokens are projected to ``d_model - d_code``, and ``codes`` is a
    scheme that adds codes of width ``d_code``.

    Notes
    -----
    UW "No Sequence Order: Position Embedding"; UCB "Position embeddings".
    """

    def __init__(self, d_model: int, d_code: int, codes: Positions) -> None:
        super().__init__()
        at_least_one(d_model=d_model, d_code=d_code)
        at_least_one(**{"d_model - d_code": d_model - d_code})
        self.d_code, self.codes = d_code, codes
        self.W = nn.Parameter(torch.empty(d_model, d_model - d_code))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise ``W`` so that the tokens keep their scale."""
        nn.init.normal_(self.W, std=len(self.W) ** -0.5)

    def embed(
        self, x: Float[Tensor, "*batch T D"], start: Start = 0
    ) -> Float[Tensor, "*batch T D"]:
        """The projected tokens, followed by the codes of their positions."""
        width("x", x, d_model=len(self.W))
        codes = self.codes.embed(x.new_zeros(*x.shape[:-1], self.d_code), start)
        return torch.cat([x @ self.W, codes], dim=-1)


#: How rotary positions can be extended past the training length.
SCALINGS = ("none", "linear", "dynamic", "yarn")

#: YaRN's bounds: pairs with at least the first number of turns are fast, at most the second, slow.
YARN_TURNS = (32, 1)


class RotaryPositions(Positions):
    r"""Rotate queries and keys, so that their product depends only on the distance.

    .. math:: (R^m q) \cdot (R^n k) = q^\top R^{n-m} k, \qquad
              \theta_i = \text{base}^{-2i/d}

    Each pair of the first ``d`` coordinates is rotated in its plane by ``position * theta_i``.

    Parameters
    ----------
    d_k:
        Width of queries and keys.
    rotary_dim:
        The formula's ``d``: how many of the ``d_k`` coordinates are rotated, by default all. The
        others stay as they are, so scores also depend on content alone (partial rotary positions).
    pairing:
        Which coordinates form a pair. ``"interleaved"``: (0, 1), (2, 3), ... as in the paper;
        ``"halves"``: (0, d/2), (1, d/2 + 1), ... as in Hugging Face's Llama checkpoints. Meta's own
        are interleaved.
    base:
        The 10000 of the formula.
    ntk:
        How many times longer sequences may be than in training. The base grows to ``base * ntk **
        (d / (d - 2))``: slow pairs are stretched by ``ntk``, fast ones left unchanged.
    scaling, factor, original:
        How to extend a model trained on ``original`` positions to about ``factor`` times as many.
        ``"none"``: not at all. ``"linear"``: positions are divided by ``factor``. ``"dynamic"``:
        once a text is longer than ``original``, the base grows as with ``ntk``, by the text's
        length. ``"yarn"``: pairs that turn fewer than once within ``original`` are divided by
        ``factor``, those that turn more than 32 times are left unchanged, with a ramp between, and
        cosines and sines are multiplied by ``0.1 ln(factor) + 1``.

    Notes
    -----
    Su et al. 2021, section 3.2; KA "Rotary Positional Encodings (RoPE)"; NTK scaling: KA, same.
    Linear: Chen et al. 2023 ("Extending Context Window"). YaRN: Peng et al. 2023, section 3.
    Dynamic: section 3.3 there. Partial: Black et al. 2022 (GPT-NeoX-20B), section 2.1.

    With ``scaling="dynamic"``, as in Hugging Face, the text's length is the largest position in the
    call. So a row depends on its batch: beside a row longer than ``original``, or padded to such a
    length, it is rotated differently than alone. Cached keys keep the base they were rotated with,
    so the result also depends on how a text is cut into calls.
    """

    def __init__(
        self,
        d_k: int,
        pairing: str = "interleaved",
        base: float = 10_000.0,
        ntk: float = 1.0,
        scaling: str = "none",
        factor: float = 1.0,
        original: int | None = None,
        *,
        rotary_dim: int | None = None,
    ) -> None:
        super().__init__()
        check_scaling(scaling, factor, original, ntk)
        name, d = ("d_k", d_k) if rotary_dim is None else ("rotary_dim", rotary_dim)
        even(**{name: d})
        at_least_one(d_k=d_k)
        if d > d_k:
            raise ValueError(f"rotary_dim must be at most d_k={d_k}, got {d}")
        above_zero(base=base)
        one_of(("interleaved", "halves"), pairing=pairing)
        if ntk > 1 and d < 4:
            raise ValueError(f"{name} must be at least 4 for ntk > 1, got {d}")
        if scaling == "dynamic" and d < 4:
            raise ValueError(f'{name} must be at least 4 for scaling="dynamic", got {d}')
        self.d_k, self.rotary_dim, self.pairing, self.base, self.ntk = d_k, d, pairing, base, ntk
        self.scaling, self.factor, self.original = scaling, factor, original

    def angles(self, positions: Tensor) -> Float[Tensor, "*N half"]:
        """The angle of each pair at each position, in radians and float64."""
        d = self.rotary_dim
        base = self.base * self.ntk ** (d / (d - 2)) if self.ntk > 1 else self.base
        exact = exact_dtype(positions.device)
        i = torch.arange(0, d, 2, device=positions.device).to(exact)
        if self.scaling == "dynamic":
            original = self.original or 1  # it is given: see check_scaling
            longer = (positions.max() + 1).clamp(min=original).to(exact) / original
            grown = self.factor * longer - (self.factor - 1)  # 1 up to the original length
            base = base * grown ** (d / (d - 2))
        theta = base ** (-i / d)
        if self.scaling == "linear":
            theta = theta / self.factor
        if self.scaling == "yarn":
            slow = self._slowness(i / 2)
            theta = theta * (1 - slow) + theta / self.factor * slow
        return positions.to(exact)[..., None] * theta

    def _slowness(self, pair: Float[Tensor, " half"]) -> Float[Tensor, " half"]:
        """YaRN's ramp: 0 for pairs that turn often within ``original`` positions, 1 for slow ones.

        The pair that turns ``r`` times has the index ``d ln(original / (2 pi r)) / (2 ln base)``.
        """
        original = self.original or 1  # it is given: see check_scaling
        first, last = (
            self.rotary_dim * math.log(original / (2 * math.pi * turns)) / (2 * math.log(self.base))
            for turns in YARN_TURNS
        )
        first, last = max(math.floor(first), 0), min(math.ceil(last), self.rotary_dim - 1)
        return ((pair - first) / max(last - first, 0.001)).clamp(0, 1)

    def rotate(
        self, x: Float[Tensor, "*batch T K"], start: Start = 0
    ) -> Float[Tensor, "*batch T K"]:
        """Rotate each row by its position, from ``start`` on."""
        width("x", x, d_k=self.d_k)
        angle = self.angles(_places(x, start))
        if isinstance(start, Tensor):
            angle = angle[:, None]  # the same for every head, (B, 1, T, half)
        cos, sin = angle.cos(), angle.sin()
        if self.scaling == "yarn":
            grown = 0.1 * math.log(self.factor) + 1
            cos, sin = cos * grown, sin * grown
        cos, sin = cos.to(x.dtype), sin.to(x.dtype)
        x, kept = x[..., : self.rotary_dim], x[..., self.rotary_dim :]
        if self.pairing == "interleaved":
            a, b = x[..., 0::2], x[..., 1::2]
            turned = torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
        else:
            a, b = x.chunk(2, dim=-1)
            turned = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return torch.cat([turned, kept], dim=-1) if kept.shape[-1] else turned


def check_scaling(scaling: str, factor: float, original: int | None, ntk: float = 1.0) -> None:
    """Raise ``ValueError`` for invalid scaling arguments of :class:`RotaryPositions`."""
    one_of(SCALINGS, scaling=scaling)
    check_numbers(factor=factor, ntk=ntk)
    if ntk < 1:
        raise ValueError(f"ntk must be at least 1, got {ntk}")
    if factor < 1:
        raise ValueError(f"factor must be at least 1, got {factor}")
    if scaling == "none" and factor != 1:
        raise ValueError(f'factor must be 1 with scaling="none", got {factor}')
    if scaling in ("dynamic", "yarn") and original is None:
        raise ValueError(f'original must be given with scaling="{scaling}", got None')
    if original is not None:
        at_least_one(original=original)
    if scaling != "none" and ntk != 1:
        raise ValueError(f'ntk must be 1 with scaling="{scaling}", got {ntk}')


class RelativePositions(Positions):
    r"""Shaw's relative positions: a learned vector for each distance, added to the key.

    .. math:: e_{ij} = \frac{q_i \cdot (k_j + a_{\operatorname{clip}(j - i)})}{\sqrt{d_k}}

    ``a`` is ``(2 max_distance + 1, K)``, shared by all heads; distances beyond ``max_distance``
    share the outermost vectors.

    Notes
    -----
    Shaw et al. 2018, equations (4) and (5); UW "Learnable Position Representation Vectors"; KA
    "Relative Position Encodings". The vectors for values in equation (3) are left out: the paper
    finds those for keys sufficient.
    """

    def __init__(self, d_k: int, max_distance: int = 16) -> None:
        super().__init__()
        at_least_one(d_k=d_k, max_distance=max_distance)
        self.max_distance = max_distance
        self.a = nn.Parameter(torch.empty(2 * max_distance + 1, d_k))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the vectors with variance 1/K, like keys at the start."""
        nn.init.normal_(self.a, std=self.a.shape[1] ** -0.5)

    def bias(self, q: Float[Tensor, "*batch T K"], S: int) -> Float[Tensor, "*batch T S"]:
        """``q_i . a_(j-i) / sqrt(d_k)`` for each query and key."""
        with_each = (q * q.shape[-1] ** -0.5) @ self.a.T  # (..., T, 2 max_distance + 1)
        offset = relative_offsets(q.shape[-2], S, q.device).clamp(
            -self.max_distance, self.max_distance
        )
        index = (offset + self.max_distance).expand(*q.shape[:-1], S)
        return with_each.gather(-1, index)


class ALiBi(Positions):
    r"""A penalty that grows linearly with distance, with a different slope for each head.

    .. math:: b_{ij} = -m_h \, |i - j|, \qquad m_h = 2^{-8h/H}, \; h = 1, \dots, H

    Nothing is learned; ``slopes`` is ``(H, 1, 1)``.

    Notes
    -----
    Press et al. 2022, section 3; 224N section 2.2, equation (13), where the slope is 1. If ``H`` is
    not a power of two, the authors' code takes the slopes of the next smaller power, and every
    other one of the next larger.
    """

    slopes: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        at_least_one(num_heads=num_heads)
        slopes = torch.tensor(alibi_slopes(num_heads), dtype=torch.float32)
        self.register_buffer("slopes", slopes[:, None, None], persistent=False)

    def bias(self, q: Float[Tensor, "*batch T K"], S: int) -> Float[Tensor, "H T S"]:
        """The penalties ``(H, T, S)``."""
        distance = relative_offsets(q.shape[-2], S, q.device).abs()
        return -self.slopes.to(q.dtype) * distance


def tree_distances(parents: Int[Tensor, "B S"]) -> Int[Tensor, "B S S"]:
    """The number of edges between any two words of each tree.

    .. math:: d(i, j) = a_i + a_j - 2 c_{ij}

    where :math:`a_i` counts the ancestors of word ``i``, itself included, and :math:`c_{ij}` those
    that ``i`` and ``j`` share. ``parents`` holds each word's parent index, -1 for a root; words of
    different trees are ``S`` apart. A parent outside the sentence, or a cycle, raises
    ``ValueError``.
    """
    axes("parents", parents, "B S")
    B, S = parents.shape
    if parents.numel() and (int(parents.min()) < -1 or int(parents.max()) >= S):
        raise ValueError(f"parents must lie between -1 and {S - 1}, got {parents.tolist()}")
    above = torch.eye(S, device=parents.device).repeat(B, 1, 1)  # (B, word, ancestor)
    here = parents
    for _ in range(S):
        tree, word = (here >= 0).nonzero(as_tuple=True)
        above[tree, word, here[tree, word]] = 1
        here = torch.where(here >= 0, parents.gather(1, here.clamp(min=0)), -1)
    for word in (here >= 0).any(0).nonzero()[:1].flatten().tolist():
        raise ValueError(f"parents must form a tree, word {word} is its own ancestor")
    ancestors, shared = above.sum(-1), above @ above.mT
    distance = ancestors[:, :, None] + ancestors[:, None, :] - 2 * shared
    return distance.where(shared > 0, S).long()


class TreePositions(Positions):
    r"""A learned bias for each distance in a parse tree, for each head.

    .. math:: b_{ij} = w_{h, \operatorname{clip}(d(i, j))}

    where :math:`d(i, j)` counts the edges between words ``i`` and ``j``, and distances beyond
    ``max_distance`` share its bias; ``w`` is ``(H, max_distance + 1)``. Call :meth:`set_trees`
    before the layer.

    Notes
    -----
    After Wang et al. 2019; UW "Learnable Position Representation Vectors".
    """

    def __init__(self, num_heads: int, max_distance: int = 8) -> None:
        super().__init__()
        at_least_one(num_heads=num_heads, max_distance=max_distance)
        self.max_distance = max_distance
        self.w = nn.Parameter(torch.empty(num_heads, max_distance + 1))
        self.distances: Tensor | None = None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all biases to zero: no distance is preferred."""
        nn.init.zeros_(self.w)

    def set_trees(self, parents: Int[Tensor, "B S"]) -> None:
        """Set the trees of a batch: each word's parent index, -1 for a root or padding.

        Invalid trees raise ``ValueError``, as in :func:`tree_distances`.
        """
        self.distances = tree_distances(parents).clamp(max=self.max_distance)

    def bias(self, q: Float[Tensor, "*batch T K"], S: int) -> Float[Tensor, "B H T S"]:
        """The learned biases of the first ``S`` words of the current trees.

        Raises ``ValueError`` if none are set, or with too few words or another batch size.
        """
        was = () if self.distances is None else tuple(self.distances.shape[:2])
        if self.distances is None or was[1] < S or was[0] not in (1, len(q)):
            raise ValueError(
                f"set_trees must have been given {len(q)} trees of at least {S} words, "
                f"got {f'{was[0]} of {was[1]}' if was else 'none'}"
            )
        last = self.distances[:, S - q.shape[-2] : S, :S].to(q.device)  # (B, T, S)
        return self.w[:, last].transpose(0, 1)


def _places(x: Tensor, start: Start) -> Tensor:
    """The positions of the rows of ``x``: ``(T,)``, or ``(B, T)`` if given."""
    if isinstance(start, Tensor):
        return start
    return torch.arange(start, start + x.shape[-2], device=x.device)


def relative_offsets(T: int, S: int, device: torch.device | None = None) -> Int[Tensor, "T S"]:
    """``j - i`` for each query and key; the queries are the last ``T`` of ``S`` positions."""
    i = torch.arange(S - T, S, device=device)
    return torch.arange(S, device=device)[None, :] - i[:, None]


def alibi_slopes(num_heads: int) -> list[float]:
    """The slope of each head: a geometric series that ends at 2^-8."""
    power = 2 ** math.floor(math.log2(num_heads))
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    if power < num_heads:
        between = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1, 2)]
        slopes += between[: num_heads - power]
    return slopes
