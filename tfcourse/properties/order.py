"""Does a module depend on the order of its tokens, on later tokens, or on positions?"""

from __future__ import annotations

import torch
from torch import Tensor

from tfcourse.modes import in_mode
from tfcourse.properties.calling import Module, another, distance, length_of, modes, run


def assert_causal(
    module: Module, x: Tensor, *, vocab_size: int | None = None, atol: float = 1e-6
) -> None:
    """Check that no output changes when later tokens change, in train and in eval mode.

    ``x`` must have at least 2 tokens. Token ids are drawn below ``vocab_size``, by default one more
    than the largest in ``x``. An output may change by ``atol``.
    """
    T = length_of(x, at_least=2)
    for said in modes(module):
        before = run(module, x)
        for t in range(1, T):
            changed = x.clone()
            changed[:, t:] = another(x[:, t:], x, vocab_size)
            moved = distance(before[:, :t], run(module, changed)[:, :t])
            if not moved <= atol:
                raise AssertionError(
                    f"not causal{said}: when the tokens from position {t} on change, an output "
                    f"before position {t} moves by {moved:.2g}. "
                    "Look at the mask: position i may attend to j <= i only, in every mode."
                )


def assert_permutation_equivariant(module: Module, x: Tensor, *, atol: float = 1e-5) -> None:
    """Check that reordered tokens give the same outputs in the new order.

    True of self-attention without positions; false once there is a mask or a position. Arguments as
    for :func:`assert_causal`.
    """
    T = length_of(x, at_least=2)
    reverse = torch.arange(T - 1, -1, -1, device=x.device)
    shift = (torch.arange(T, device=x.device) + 1) % T
    with in_mode(module, train=False):  # dropout depends on positions, not on tokens
        before = run(module, x)
        for order in (reverse, shift):
            moved = distance(before[:, order], run(module, x[:, order]))
            if not moved <= atol:
                raise AssertionError(
                    f"the order matters: with the tokens in the order {order.tolist()} an "
                    f"output differs by {moved:.2g} from the one before"
                )


def assert_shift_invariant(
    module: Module, x: Tensor, *, by: int = 3, vocab_size: int | None = None, atol: float = 1e-5
) -> None:
    """Check that tokens shifted by ``by`` positions give the same outputs.

    Other tokens precede them, hidden by the mask, so that only the positions differ. True of
    relative positions, whose scores depend only on offsets; false of positions that are added to
    the tokens. The module is called as ``module(x, mask)`` with a boolean mask ``(B, 1, T)``,
    ``True`` = may be attended to; ``by`` is at least 1, and the rest as for :func:`assert_causal`.
    """
    T = length_of(x, at_least=2)
    if by < 1:
        raise ValueError(f"by must be at least 1, got {by}")
    before_them = another(x[:, :1].expand(-1, by, *x.shape[2:]), x, vocab_size)
    moved_on = torch.cat([before_them, x], dim=1)
    visible = torch.ones(len(x), 1, by + T, dtype=torch.bool, device=x.device)
    hidden = visible.clone()
    hidden[..., :by] = False
    with in_mode(module, train=False):  # dropout depends on positions, not on tokens
        here = run(module, x, visible[..., by:])
        there = run(module, moved_on, hidden)[:, by:]
    moved = distance(here, there)
    if not moved <= atol:
        raise AssertionError(
            f"positions matter: the same tokens {by} positions later, with the tokens before "
            f"them hidden, give an output that differs by {moved:.2g}. "
            "Look at the positions: do the scores depend on offsets alone?"
        )
