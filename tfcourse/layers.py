"""The other parts of a block: normalisation, the feed-forward layer, and the block itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, check_numbers, check_probability, one_of, width
from tfcourse.attention import KeyValueCache, MultiHeadAttention, affine


class LayerNorm(nn.Module):
    r"""Normalise each token to mean 0 and variance 1, then apply a learned gain and bias.

    .. math:: \mu = \frac1d \sum_j x_j, \qquad \sigma^2 = \frac1d \sum_j (x_j - \mu)^2, \qquad
              y = \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot \gamma + \beta

    ``gain`` and ``shift``, the formula's gamma and beta, are ``(D,)``, or ``None`` with
    ``affine=False``, as in 224N. ``eps`` is added inside the root.

    Notes
    -----
    Ba et al. 2016; UW "Layer Normalization"; UCB "Layer Normalization"; 224N equations (27), (28).
    """

    gain: nn.Parameter | None
    shift: nn.Parameter | None

    def __init__(self, d_model: int, eps: float = 1e-5, *, affine: bool = True) -> None:
        super().__init__()
        at_least_one(d_model=d_model)
        check_numbers(eps=eps)
        self.d_model, self.eps = d_model, eps
        self.gain = nn.Parameter(torch.ones(d_model)) if affine else None
        self.shift = nn.Parameter(torch.zeros(d_model)) if affine else None

    def reset_parameters(self) -> None:
        """Set the gain to one and the shift to zero."""
        if self.gain is not None and self.shift is not None:
            nn.init.ones_(self.gain)
            nn.init.zeros_(self.shift)

    def forward(
        self, x: Float[Tensor, "*batch D"], *, fused: bool = True
    ) -> Float[Tensor, "*batch D"]:
        """Normalise each row; ``fused=False`` follows the formula, ``True`` calls PyTorch's."""
        width("x", x, d_model=self.d_model)
        if fused:
            return torch.layer_norm(x, (self.d_model,), self.gain, self.shift, self.eps)
        dtype, x = x.dtype, _precise(x)
        mean = x.mean(dim=-1, keepdim=True)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)  # over d, not over d - 1
        y = (x - mean) / (variance + self.eps).sqrt()
        if self.gain is not None and self.shift is not None:
            y = y * self.gain + self.shift
        return y.to(dtype)

    def extra_repr(self) -> str:
        """The sizes, for ``print(module)``."""
        return f"d_model={self.d_model}, eps={self.eps}, affine={self.gain is not None}"


class RMSNorm(nn.Module):
    r"""Scale each token to mean square 1, then apply a learned gain ``(D,)``; the mean is kept.

    .. math:: y = \frac{x}{\sqrt{\frac1d \sum_j x_j^2 + \epsilon}} \odot \gamma

    Notes
    -----
    Zhang and Sennrich 2019.
    """

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        at_least_one(d_model=d_model)
        check_numbers(eps=eps)
        self.d_model, self.eps = d_model, eps
        self.gain = nn.Parameter(torch.ones(d_model))

    def reset_parameters(self) -> None:
        """Set the gain to one."""
        nn.init.ones_(self.gain)

    def forward(
        self, x: Float[Tensor, "*batch D"], *, fused: bool = True
    ) -> Float[Tensor, "*batch D"]:
        """Scale each row; ``fused=False`` follows the formula, ``True`` calls PyTorch's."""
        width("x", x, d_model=self.d_model)
        if fused:
            return torch.rms_norm(x, (self.d_model,), self.gain, self.eps)
        dtype, x = x.dtype, _precise(x)
        y = x / (x.square().mean(dim=-1, keepdim=True) + self.eps).sqrt() * self.gain
        return y.to(dtype)

    def extra_repr(self) -> str:
        """The sizes, for ``print(module)``."""
        return f"d_model={self.d_model}, eps={self.eps}"


class Affine(nn.Module):
    """A layer ``x W + b``, with ``W`` of ``(d_in, d_out)`` and ``b`` of ``(d_out,)``.

    Notes
    -----
    The linear layers of BERT's heads: Devlin et al. 2019, section 3.1 and appendix A.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        at_least_one(d_in=d_in, d_out=d_out)
        self.W = nn.Parameter(torch.empty(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Float[Tensor, "*batch I"]) -> Float[Tensor, "*batch O"]:
        """``x W + b``."""
        return affine(x, self.W, self.b)


#: The nonlinearities a feed-forward layer may have. BERT and GPT differ in their GELU: the exact
#: one and the tanh approximation differ by up to 5e-4.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "silu": F.silu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
}


class FeedForward(nn.Module):
    r"""A small network applied to each token separately.

    .. math:: \operatorname{FFN}(x) = g(x W_1 + b_1)\, W_2 + b_2

    Parameters
    ----------
    d_model, d_ff:
        Widths of the tokens and of the hidden layer, which defaults to ``4 d_model``.
    activation:
        One of :data:`ACTIVATIONS`, the formula's g.
    bias, dropout:
        Whether there are ``b_1`` and ``b_2``; fraction of hidden units dropped in training.

    Attributes
    ----------
    W_1, W_2, b_1, b_2:
        ``(D, d_ff)``, ``(d_ff, D)``, ``(d_ff,)`` and ``(D,)``.

    Notes
    -----
    Vaswani et al. 2017, section 3.3; 224N equation (17); UBC section 5; UW "Add Feed-forward
    Networks".
    """

    b_1: nn.Parameter | None
    b_2: nn.Parameter | None

    def __init__(
        self,
        d_model: int,
        d_ff: int | None = None,
        activation: str = "relu",
        *,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        d_ff = 4 * d_model if d_ff is None else d_ff
        at_least_one(d_model=d_model, d_ff=d_ff)
        check_probability(dropout=dropout)
        one_of(ACTIVATIONS, activation=activation)
        self.d_model, self.activation, self.dropout = d_model, activation, dropout
        self.W_1 = nn.Parameter(torch.empty(d_model, d_ff))
        self.W_2 = nn.Parameter(torch.empty(d_ff, d_model))
        self.b_1 = nn.Parameter(torch.empty(d_ff)) if bias else None
        self.b_2 = nn.Parameter(torch.empty(d_model)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise: weights as Glorot and Bengio do, bias vectors to zero."""
        _reset(self.W_1, self.W_2, self.b_1, self.b_2)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        """Apply the same network to every token."""
        width("x", x, d_model=self.d_model)
        rows = x.reshape(-1, self.d_model)  # one view here instead of two in each product
        hidden = ACTIVATIONS[self.activation](affine(rows, self.W_1, self.b_1))
        if self.dropout and self.training:
            hidden = F.dropout(hidden, self.dropout)
        return affine(hidden, self.W_2, self.b_2).view_as(x)


class SwiGLU(nn.Module):
    r"""A gated feed-forward layer: one projection of the token gates another.

    .. math:: \operatorname{SwiGLU}(x) = (\operatorname{silu}(x W_1) \odot x W_3)\, W_2

    Gate ``W_1`` and up ``W_3`` are ``(D, d_ff)``, down ``W_2`` is ``(d_ff, D)``. ``d_ff`` defaults
    to ``8 d_model / 3``, which gives as many weights as the two matrices of :class:`FeedForward`.

    Notes
    -----
    Shazeer 2020.
    """

    def __init__(self, d_model: int, d_ff: int | None = None) -> None:
        super().__init__()
        at_least_one(d_model=d_model)
        d_ff = 8 * d_model // 3 if d_ff is None else d_ff
        at_least_one(d_ff=d_ff)
        self.d_model = d_model
        self.W_1 = nn.Parameter(torch.empty(d_model, d_ff))
        self.W_3 = nn.Parameter(torch.empty(d_model, d_ff))
        self.W_2 = nn.Parameter(torch.empty(d_ff, d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights as Glorot and Bengio do."""
        _reset(self.W_1, self.W_2, self.W_3)

    def forward(self, x: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch D"]:
        """Apply the same network to every token."""
        width("x", x, d_model=self.d_model)
        return (F.silu(x @ self.W_1) * (x @ self.W_3)) @ self.W_2


class Block(nn.Module):
    r"""One block: self-attention, optionally cross-attention, then a feed-forward layer.

    Each of these parts :math:`f` has a residual connection and a normalisation.

    .. math:: \text{pre: } h + f(\operatorname{LN}(h)) \qquad
              \text{post: } \operatorname{LN}(h + f(h))

    Parameters
    ----------
    attention, cross, ffn:
        Self-attention, optional cross-attention, and the module applied to each token:
        :class:`FeedForward`, :class:`SwiGLU` or another.
    norm:
        ``"pre"`` or ``"post"``.
    make_norm, eps:
        Makes a normalisation from the tokens' width and ``eps``: :class:`LayerNorm`,
        :class:`RMSNorm` or another.
    dropout:
        Fraction of each part's output dropped in training, before it is added.

    Notes
    -----
    Post: Vaswani et al. 2017, section 3.1; UBC section 5, T1 to H; UCB's z and y; 224N equation
    (31). Pre: 224N equation (30); Xiong et al. 2020.
    """

    cross_norm: nn.Module  #: Only in a block with ``cross``.

    def __init__(
        self,
        attention: MultiHeadAttention,
        ffn: nn.Module,
        norm: Literal["pre", "post"] = "pre",
        *,
        cross: MultiHeadAttention | None = None,
        make_norm: Callable[[int, float], nn.Module] = LayerNorm,
        eps: float = 1e-5,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        one_of(("pre", "post"), norm=norm)
        check_probability(dropout=dropout)
        d_model = len(attention.W_Q)
        if cross is not None and len(cross.W_Q) != d_model:
            raise ValueError(f"cross must have d_model={d_model}, got {len(cross.W_Q)}")
        self.norm, self.dropout = norm, dropout
        self.attention, self.ffn, self.cross = attention, ffn, cross
        self.attention_norm = make_norm(d_model, eps)
        if cross is not None:
            self.cross_norm = make_norm(d_model, eps)
        self.ffn_norm = make_norm(d_model, eps)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Bool[Tensor, "*#batch #T #T2"] | None = None,
        *,
        context: Float[Tensor, "B S C"] | None = None,
        context_mask: Bool[Tensor, "*#other #T #S"] | None = None,
        causal: bool = False,
        cache: KeyValueCache | None = None,
        position_ids: Int[Tensor, "B T"] | None = None,
        context_cache: KeyValueCache | None = None,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], list[Tensor | None]]:
        """Return the tokens after the block and the weights of each attention, ``None`` if fused.

        ``context`` is the other sequence, ``context_mask`` says what in it may be attended to, and
        ``context_cache`` keeps its keys and values from one call to the next. The other arguments
        are for self-attention; see :class:`MultiHeadAttention`. A context that is missing, or given
        to a block without cross-attention, raises ``ValueError``.
        """
        if (context is None) != (self.cross is None):
            has = "has no" if self.cross is None else "has a"
            raise ValueError(
                f"context must be given exactly if the block attends to one; this block {has} "
                f"cross-attention, and context is {'missing' if context is None else 'given'}"
            )
        pre = self.norm == "pre"
        out, own = self.attention(
            self.attention_norm(x) if pre else x,
            None, mask, causal=causal, cache=cache,
            position_ids=position_ids, fused=fused,
        )  # fmt: skip
        x = self._add(x, out)
        x = x if pre else self.attention_norm(x)
        weights = [own]
        if self.cross is not None:
            out, across = self.cross(
                self.cross_norm(x) if pre else x,
                context, context_mask, cache=context_cache, fused=fused,
            )  # fmt: skip
            x = self._add(x, out)
            x = x if pre else self.cross_norm(x)
            weights.append(across)
        out = self.ffn(self.ffn_norm(x) if pre else x)
        x = self._add(x, out)
        return x if pre else self.ffn_norm(x), weights

    def _add(self, x: Tensor, out: Tensor) -> Tensor:
        """The residual connection: a part's input plus its output."""
        return x + (F.dropout(out, self.dropout) if self.dropout and self.training else out)


def _precise(x: Tensor) -> Tensor:
    """At least in float32: float16 ends at 65,504, less than 256 squared."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _reset(*parameters: Tensor | None) -> None:
    for p in parameters:
        if p is not None:
            nn.init.xavier_uniform_(p) if p.dim() > 1 else nn.init.zeros_(p)
