"""``x W + b``: the affine map that every learned layer begins with."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


def affine(
    x: Float[Tensor, "*batch I"],
    W: Float[Tensor, "I O"],
    b: Float[Tensor, " O"] | None = None,
) -> Float[Tensor, "*batch O"]:
    """``x W + b`` of row vectors, ``W`` of ``(d_in, d_out)``, ``b`` of ``(d_out,)`` or ``None``."""
    if b is not None and x.dim() == 2:
        return torch.addmm(b, x, W)  # what PyTorch makes of the line below, without its views
    return F.linear(x, W.T, b)  # one kernel; PyTorch expects W transposed


class Affine(nn.Module):
    """A layer ``x W + b``, with ``W`` of ``(d_in, d_out)`` and ``b`` of ``(d_out,)``.

    Notes
    -----
    The linear layers of BERT's heads: Devlin et al. 2019, section 3.1 and appendix A.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.empty(d_in, d_out))
        self.b = nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Float[Tensor, "*batch I"]) -> Float[Tensor, "*batch O"]:
        """``x W + b``."""
        return affine(x, self.W, self.b)
