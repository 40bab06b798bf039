"""How far two right computations of the same numbers may lie apart: as far as they are rounded."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def assert_same(
    ours: Tensor,
    theirs: Tensor,
    terms: int | nn.Module,
    what: str = "result",
    *,
    dtype: torch.dtype | None = None,
) -> None:
    """Assert that two results differ by no more than rounding explains.

    ``terms`` numbers are added up, one after the other, on the way to each result; of a model, at
    most as many as the longer sides of its weights are long, all together. Each addition is rounded
    by eps/2 of its sum at most, here and there. Results below 1 are made of numbers of about 1, as
    norms and softmax leave them. ``dtype`` is that of the steps that round most, where it is not
    the result's.
    """
    if isinstance(terms, nn.Module):
        terms = sum(max(p.shape) for p in terms.parameters())
    size = max([1.0, *theirs.detach().abs().flatten().tolist()])
    atol = terms * torch.finfo(dtype or theirs.dtype).eps * size
    torch.testing.assert_close(ours, theirs, rtol=0, atol=atol, msg=lambda m: f"{what}: {m}")
