"""Argument checks that many components share.

An error names the argument, its value and what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from torch import Tensor


#: The threads within :func:`checked`. The checks ask it without a function in between, which would
#: cost as much as they do; compiled code that finds it empty never asks for its thread.
_CHECKED: set[int] = set()


@contextmanager
def checked() -> Iterator[None]:
    """Skip the checks of tensors between layers, for further steps of a call that has passed them.

    For a small model they take as long as a matrix product. Each layer called directly, or from
    another thread, still checks what it is given.
    """
    thread = get_ident()
    outermost = thread not in _CHECKED
    _CHECKED.add(thread)
    try:
        yield
    finally:
        if outermost:
            _CHECKED.discard(thread)


def _is(kind: type, value: object) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def check_integers(**given: Any) -> None:
    """Raise ``ValueError`` for values that are not integers: ``"2"``, 2.0 and ``True`` are none."""
    for name, value in given.items():
        if not _is(Integral, value):
            raise ValueError(f"{name} must be a whole number, got {value!r}")


def check_numbers(**given: Any) -> None:
    """Raise ``ValueError`` for values that are not numbers, such as ``"0.1"`` and ``None``."""
    for name, value in given.items():
        if not _is(Real, value):
            raise ValueError(f"{name} must be a number, got {value!r}")


def at_least_one(**sizes: int) -> None:
    """Raise ``ValueError`` for sizes and counts that are not integers, or below 1."""
    check_integers(**sizes)
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be at least 1, got {size}")


def one_of(known: Iterable[Any], **given: Any) -> None:
    """Raise ``ValueError`` for arguments that are not among the known values, and list these."""
    known = list(known)
    for name, value in given.items():
        if value not in known:
            raise ValueError(f"{name} must be one of {known}, got {value!r}")


def whole(low: int, high: int | None = None, **given: Any) -> None:
    """Raise ``ValueError`` for options that are not integers from ``low`` to ``high``, if given."""
    for name, value in given.items():
        if not _is(Integral, value) or value < low or (high is not None and value > high):
            bounds = f"at least {low}" if high is None else f"from {low} to {high}"
            raise ValueError(f"{name} must be a whole number, {bounds}, got {value!r}")


def several_of(known: Iterable[Any], **given: Any) -> None:
    """Raise ``ValueError`` for options that are not a tuple of one or more known values."""
    known = list(known)
    for name, values in given.items():
        several = () if isinstance(values, str) or not isinstance(values, Iterable) else values
        if not several or any(value not in known for value in several):
            raise ValueError(f"{name} must be a tuple of some of {known}, got {values!r}")


def even(**sizes: int) -> None:
    """Raise ``ValueError`` for widths that cannot be split into pairs: odd or below 2."""
    check_integers(**sizes)
    for name, size in sizes.items():
        if size < 2 or size % 2:
            raise ValueError(f"{name} must be even and at least 2, got {size}")


def above_zero(**numbers: float) -> None:
    """Raise ``ValueError`` for 0 and below, in divisors and arguments of logarithms."""
    check_numbers(**numbers)
    for name, number in numbers.items():
        if not number > 0:
            raise ValueError(f"{name} must be above 0, got {number}")


def check_probability(**probabilities: float) -> None:
    """Raise ``ValueError`` for dropout probabilities outside [0, 1): at 1 nothing is left."""
    check_numbers(**probabilities)
    for name, p in probabilities.items():
        if not 0 <= p < 1:
            raise ValueError(f"{name} must lie in [0, 1), got {p}")


def check_fraction(**fractions: float) -> None:
    """Raise ``ValueError`` for fractions outside (0, 1]."""
    check_numbers(**fractions)
    for name, p in fractions.items():
        if not 0 < p <= 1:
            raise ValueError(f"{name} must lie in (0, 1], got {p}")


def check_tensors(**given: Tensor | None) -> None:
    """Raise ``ValueError`` for lists, arrays and numbers given instead of tensors."""
    if _CHECKED and get_ident() in _CHECKED:
        return
    for name, x in given.items():
        if x is not None:
            _check_tensor(name, x)


def _check_tensor(name: str, x: object) -> None:
    import torch

    if not isinstance(x, torch.Tensor):
        raise ValueError(
            f"{name} must be a tensor, got {type(x).__name__}; torch.tensor({name}) makes one"
        )


def same_batch(**given: Tensor) -> None:
    """Raise ``ValueError`` for tensors whose first axes, the batch, differ in size."""
    check_tensors(**given)
    sizes = [x.shape[0] for x in given.values()]
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"{' and '.join(given)} must have the same batch size, "
            f"got {' and '.join(map(str, sizes))}"
        )


def axes(name: str, x: Tensor, letters: str, **expected: int) -> None:
    """Raise ``ValueError`` unless the axes are ``letters``: ``"B T D"`` is batch, tokens, width.

    ``expected`` is what :func:`width` checks of the last one.
    """
    if _CHECKED and get_ident() in _CHECKED:
        return
    _check_tensor(name, x)
    if x.dim() == letters.count(" ") + 1:
        if expected:
            width(name, x, **expected)
        return
    wanted = letters.split()
    hint = ""
    if x.dim() == len(wanted) - 1 and wanted[0] == "B" and len(wanted) > 1:
        hint = f"; {name}[None] makes a batch of one"
    raise ValueError(f"{name} must be ({', '.join(wanted)}), got shape {tuple(x.shape)}{hint}")


def width(name: str, x: Tensor, **expected: int) -> None:
    """Raise ``ValueError`` for tokens of the wrong width, using the component's name for it."""
    if _CHECKED and get_ident() in _CHECKED:
        return
    _check_tensor(name, x)
    ((letter, size),) = expected.items()
    if x.shape[-1] == size:
        return
    raise ValueError(
        f"{name} must have {letter}={size} numbers for each token, got {x.shape[-1]} "
        f"({name} is {tuple(x.shape)})"
    )


def check_shapes(**given: tuple[Tensor, tuple[int, ...]]) -> None:
    """Raise ``ValueError`` for a wrong shape: copying would silently broadcast a batch of one."""
    for name, (x, shape) in given.items():
        _check_tensor(name, x)
        if x.shape != shape:
            raise ValueError(f"{name} must have shape {tuple(shape)}, got {tuple(x.shape)}")


def tracing() -> bool:
    """Whether ``torch.compile`` or ``torch.export`` is recording this call.

    The recording is reused for other values and sizes, so nothing may depend on them.
    """
    import torch

    return torch.compiler.is_compiling()


def check_look_up(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, bias: Tensor | None = None
) -> None:
    """Raise ``ValueError`` if queries, keys, values, mask and bias do not fit together."""
    if _CHECKED and get_ident() in _CHECKED:
        return
    check_tensors(q=q, k=k, v=v)
    if min(q.dim(), k.dim(), v.dim()) < 2:
        _misfit("q, k and v must be (..., length, width)", q, k, v)
    (*batch, T, K), (*of_k, S, K_2), (*of_v, S_2, _) = q.shape, k.shape, v.shape
    if K != K_2:
        _misfit("q and k must have the same width, or no dot product can be taken", q, k, v)
    if S != S_2:
        _misfit("k and v must have one row for each key", q, k, v)
    if not batch == of_k == of_v:
        import torch

        try:
            batch = torch.broadcast_shapes(batch, of_k, of_v)
        except RuntimeError:
            _misfit(
                "the leading axes of q, k and v must broadcast (enable_gqa=True lets groups of "
                "heads share keys and values)", q, k, v,
            )  # fmt: skip
    if mask is not None:
        check_mask(mask, (*batch, T, S))
    if bias is not None:
        check_tensors(bias=bias)
        _check_broadcast("bias", bias, (*batch, T, S))


def _misfit(why: str, q: Tensor, k: Tensor, v: Tensor) -> NoReturn:
    shapes = f"q is {tuple(q.shape)}, k is {tuple(k.shape)}, v is {tuple(v.shape)}"
    raise ValueError(f"{why}: {shapes}") from None


def check_mask(mask: Tensor, full: tuple[int, ...]) -> None:
    """Raise ``ValueError`` if a mask is not boolean or does not broadcast to shape ``full``."""
    import torch

    check_tensors(mask=mask)
    if mask.dtype != torch.bool:
        raise ValueError(
            f"mask must be boolean with True = may be attended to, got {mask.dtype}; "
            "an additive mask becomes one by `mask == 0`, a 0/1 mask by `mask.bool()`"
        )
    _check_broadcast("mask", mask, full)


def _check_broadcast(name: str, added: Tensor, full: tuple[int, ...]) -> None:
    # Not torch.broadcast_shapes: in a step of a small model it takes as long as a product.
    last = full[len(full) - added.dim() :]
    if added.dim() > len(full) or any(
        has not in (1, size) for has, size in zip(added.shape, last, strict=True)
    ):
        raise ValueError(f"{name} must broadcast to {full}, got {tuple(added.shape)}")
