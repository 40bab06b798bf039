"""Self-attention with one head, as the lectures introduce it."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, width
from tfcourse.attention.dot_product import scaled_dot_product_attention


class SelfAttention(nn.Module):
    r"""One head of self-attention: a sequence looks itself up.

    .. math:: Q = X W_Q \qquad K = X W_K \qquad V = X W_V \qquad
              O = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    d_model:
        Width of the tokens, ``D``.
    d_k:
        Width of queries and keys; ``d_model`` unless given.
    d_v:
        Width of values, and so of the output; ``d_model`` unless given. It need not equal ``d_k``.
    bias:
        Whether each projection adds a learned vector; the lectures' do not.

    Attributes
    ----------
    W_Q, W_K, W_V:
        ``(D, d_k)``, ``(D, d_k)`` and ``(D, d_v)``: row vectors, so ``Q = X W_Q``.

    Raises
    ------
    ValueError
        If a width is not positive.

    Notes
    -----
    UCB "Self-Attention" (the sizes 100 and 37); UBC section 2.2; UW "The Matrices Form of
    Self-Attention"; 224N section 2.1; KA "Self Attention".
    """

    def __init__(
        self, d_model: int, d_k: int | None = None, d_v: int | None = None, *, bias: bool = False
    ) -> None:
        super().__init__()
        d_k = d_model if d_k is None else d_k
        d_v = d_model if d_v is None else d_v
        at_least_one(d_model=d_model, d_k=d_k, d_v=d_v)
        self.W_Q = nn.Parameter(torch.empty(d_model, d_k))
        self.W_K = nn.Parameter(torch.empty(d_model, d_k))
        self.W_V = nn.Parameter(torch.empty(d_model, d_v))
        for letter, size in (("Q", d_k), ("K", d_k), ("V", d_v)):
            b = nn.Parameter(torch.zeros(size)) if bias else None
            self.register_parameter(f"b_{letter}", b)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew, variance 1/D: tokens of variance 1 give queries of variance 1."""
        for weight in (self.W_Q, self.W_K, self.W_V):
            nn.init.normal_(weight, std=weight.shape[0] ** -0.5)

    def project(
        self, x: Float[Tensor, "*batch T D"]
    ) -> tuple[
        Float[Tensor, "*batch T K"], Float[Tensor, "*batch T K"], Float[Tensor, "*batch T Dv"]
    ]:
        """Queries, keys and values of the tokens ``x``."""
        q, k, v = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        if self.b_Q is not None:
            q, k, v = q + self.b_Q, k + self.b_K, v + self.b_V
        return q, k, v

    def forward(
        self,
        x: Float[Tensor, "*batch T D"],
        mask: Bool[Tensor, "*#batch #T #T"] | None = None,
        *,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "*batch T Dv"], Float[Tensor, "*batch T T"] | None]:
        """Let every token look at the tokens that ``mask`` allows.

        Parameters
        ----------
        x:
            Tokens, ``(B, T, D)``; any leading axes, or none.
        mask:
            Boolean, broadcast over ``(B, T, T)``; ``True`` = may be attended to.
        fused:
            As in :func:`scaled_dot_product_attention`.

        Returns
        -------
        output, weights
            ``(B, T, d_v)`` and ``(B, T, T)``; on the fused path the weights are ``None``.

        Raises
        ------
        ValueError
            If the last axis of ``x`` is not ``d_model``, or the mask does not fit.
        """
        width("x", x, d_model=len(self.W_Q))
        return scaled_dot_product_attention(*self.project(x), mask, fused=fused)

    def extra_repr(self) -> str:
        """The widths, for ``print(module)``."""
        (d_model, d_k), d_v = self.W_Q.shape, self.W_V.shape[1]
        return f"d_model={d_model}, d_k={d_k}, d_v={d_v}, bias={self.b_Q is not None}"
