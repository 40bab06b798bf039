"""Does a module depend on the padding that makes a batch rectangular?"""

from __future__ import annotations

import torch
from torch import Tensor

from tfcourse.attention import padding_mask
from tfcourse.modes import in_mode
from tfcourse.properties.calling import Module, another, distance, length_of, modes, run


def assert_padding_invariant(
    module: Module, x: Tensor, lengths: Tensor, *, atol: float = 1e-5
) -> None:
    """Check that neither the content of the padding nor its presence matters.

    The module is called as ``module(x, mask)`` with the mask of
    :func:`tfcourse.attention.padding_mask`, and as ``module(x)`` on each sequence alone. ``x`` are
    floats ``(B, T, D)`` and ``lengths`` the numbers of real tokens, at least 1; if none is below
    ``T``, there is nothing to test, which raises ``ValueError``. An output may change by ``atol``.
    """
    T = length_of(x, at_least=2)
    if not (int(lengths.min()) >= 1 and int(lengths.min()) < T):
        raise ValueError(
            f"lengths must hold at least one below T={T} and none below 1, got {lengths.tolist()}"
        )
    mask = padding_mask(lengths, T)
    real = mask[:, 0, :]  # (B, T)
    for said in modes(module):
        before = run(module, x, mask)
        if not before[real].isfinite().all():
            raise AssertionError(f"an output of a real token is NaN or infinite{said}")
        changed = torch.where(real[..., None], x, another(x, x, None))
        moved = distance(before[real], run(module, changed, mask)[real])
        if not moved <= atol:
            raise AssertionError(
                f"the padding matters{said}: other numbers in it change a real token's output by "
                f"{moved:.2g}. Look at the mask over the keys."
            )
    with in_mode(module, train=False):  # dropout draws differ between shapes, so only in eval mode
        before = run(module, x, mask)
        for b, n in enumerate(lengths.tolist()):
            moved = distance(before[b : b + 1, :n], run(module, x[b : b + 1, :n]))
            if not moved <= atol:
                raise AssertionError(
                    f"sequence {b} comes out differently alone and padded from {n} to {T} tokens: "
                    f"by {moved:.2g}. Does something average or normalise over the padding?"
                )
