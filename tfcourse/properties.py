"""What must be true of a block of a transformer, as assertions for any module, a learner's too.

Each takes a module (or a plain function) that maps tokens ``(B, T, D)``, or token ids ``(B, T)``,
to outputs ``(B, T, ...)``; of a tuple the first entry counts. Random parts (dropout) are given the
same seed at every call, so they may be on. Each raises an :class:`AssertionError` that says what
moved, by how much, and what to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from tfcourse.attention import padding_mask

Module = Callable[..., "Tensor | tuple[Tensor, ...]"]


def assert_causal(
    module: Module, x: Tensor, *, vocabulary: int | None = None, atol: float = 1e-6
) -> None:
    """No output may move when tokens after it change; judged in train and in eval mode.

    Parameters
    ----------
    module:
        Called as ``module(x)``.
    x:
        ``(B, T, D)`` floats or ``(B, T)`` token ids, with ``T`` at least 2.
    vocabulary:
        For token ids: ids are drawn below this; one more than the largest in ``x`` unless given.
    atol:
        By how much an output may move.

    Raises
    ------
    AssertionError
        Naming the first position that saw its future, and in which mode.
    ValueError
        Where ``x`` has fewer than two tokens, or no second token to change one into.
    """
    T = _tokens(x, at_least=2)
    for mode in _modes(module):
        before = _run(module, x)
        for t in range(1, T):
            changed = x.clone()
            changed[:, t:] = _other(x[:, t:], x, vocabulary)
            moved = _distance(before[:, :t], _run(module, changed)[:, :t])
            if not moved <= atol:
                raise AssertionError(
                    f"not causal{mode}: when the tokens from position {t} on change, an output "
                    f"before position {t} moves by {moved:.2g}. "
                    "Look at the mask: position i may attend to j <= i only, in every mode."
                )


def assert_padding_invariant(
    module: Module, x: Tensor, lengths: Tensor, *, atol: float = 1e-5
) -> None:
    """What stands in the padding may not matter, nor that there is padding at all.

    Parameters
    ----------
    module:
        Called as ``module(x, mask)`` with the mask of :func:`tfcourse.attention.padding_mask`,
        and as ``module(x)`` on each sequence alone.
    x:
        ``(B, T, D)`` floats, padded to one length.
    lengths:
        ``(B,)``, the number of real tokens of each sequence, at least 1.
    atol:
        By how much an output may move.

    Raises
    ------
    AssertionError
        Where the outputs of real tokens depend on the padding, or are not finite.
    ValueError
        Where no sequence is padded, or one is empty: nothing could be seen.
    """
    T = _tokens(x, at_least=2)
    if not (int(lengths.min()) >= 1 and int(lengths.min()) < T):
        raise ValueError(
            f"lengths must hold at least one below T={T} and none below 1, got {lengths.tolist()}"
        )
    mask = padding_mask(lengths, T)
    real = mask[:, 0, :]  # (B, T)
    for mode in _modes(module):
        before = _run(module, x, mask)
        if not before[real].isfinite().all():
            raise AssertionError(f"an output of a real token is NaN or infinite{mode}")
        changed = torch.where(real[..., None], x, _other(x, x, None))
        moved = _distance(before[real], _run(module, changed, mask)[real])
        if not moved <= atol:
            raise AssertionError(
                f"the padding is seen{mode}: other numbers in it move a real token's output by "
                f"{moved:.2g}. Look at the mask over the keys."
            )
    with _mode(module, train=False):  # dropout draws differ between shapes, so in eval mode only
        before = _run(module, x, mask)
        for b, n in enumerate(lengths.tolist()):
            moved = _distance(before[b : b + 1, :n], _run(module, x[b : b + 1, :n]))
            if not moved <= atol:
                raise AssertionError(
                    f"sequence {b} comes out differently alone and padded from {n} to {T} tokens: "
                    f"by {moved:.2g}. Does something average or normalise over the padding?"
                )


def assert_permutation_equivariant(module: Module, x: Tensor, *, atol: float = 1e-5) -> None:
    """Tokens in another order must give the same outputs in that other order.

    True of self-attention without positions; false as soon as there is a mask or a position.

    Parameters
    ----------
    module:
        Called as ``module(x)``.
    x:
        ``(B, T, D)`` or ``(B, T)``, with ``T`` at least 2.
    atol:
        By how much an output may move.

    Raises
    ------
    AssertionError
        Where the order was noticed.
    ValueError
        Where ``x`` has fewer than two tokens.
    """
    T = _tokens(x, at_least=2)
    reverse = torch.arange(T - 1, -1, -1, device=x.device)
    shift = (torch.arange(T, device=x.device) + 1) % T
    with _mode(module, train=False):  # dropout falls on places, not on tokens
        before = _run(module, x)
        for order in (reverse, shift):
            moved = _distance(before[:, order], _run(module, x[:, order]))
            if not moved <= atol:
                raise AssertionError(
                    f"the order is noticed: with the tokens in the order {order.tolist()} an "
                    f"output differs by {moved:.2g} from the one it had"
                )


def _tokens(x: Tensor, at_least: int) -> int:
    if x.dim() < 2 or x.shape[1] < at_least:
        raise ValueError(
            f"x must be (B, T, ...) with T at least {at_least}, got shape {tuple(x.shape)}"
        )
    return x.shape[1]


def _run(module: Module, *inputs: Tensor) -> Tensor:
    """The first output, detached, with the same random numbers at every call."""
    with torch.random.fork_rng(), torch.no_grad():
        torch.manual_seed(0)
        output = module(*inputs)
    return output[0] if isinstance(output, tuple) else output


def _distance(a: Tensor, b: Tensor) -> float:
    """Largest absolute difference; infinite where shapes differ, NaN where a number is NaN."""
    if a.shape != b.shape:
        return float("inf")
    return (a - b).abs().max().item() if a.numel() else 0.0


def _other(part: Tensor, x: Tensor, vocabulary: int | None) -> Tensor:
    """Tokens like ``part`` with every entry another one, drawn the same way at every call."""
    generator = torch.Generator().manual_seed(1)
    if part.is_floating_point():
        noise = torch.randn(part.shape, generator=generator, dtype=torch.float64)
        return part + (1 + noise.abs()).to(part)
    size = int(x.max()) + 1 if vocabulary is None else vocabulary
    if size < 2:
        raise ValueError(f"vocabulary must be at least 2 to change a token, got {size}")
    step = torch.randint(1, size, part.shape, generator=generator).to(part)
    return (part + step) % size


def _modes(module: Module) -> Iterator[str]:
    """Put the module into train and then eval mode; a plain function is judged once."""
    if not isinstance(module, torch.nn.Module):
        yield ""
        return
    for train in (True, False):
        with _mode(module, train):
            yield f" in {'train' if train else 'eval'} mode"


@contextmanager
def _mode(module: Module, train: bool) -> Iterator[None]:
    """Train or eval mode for a while; afterwards every part is as it was."""
    if not isinstance(module, torch.nn.Module):
        yield
        return
    was = {part: part.training for part in module.modules()}
    module.train(train)
    try:
        yield
    finally:
        for part, training in was.items():
            part.training = training
