"""Verbs for a learner's modules: construct one, load given weights, look at its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nbjudge.inside.testing import served
from nbjudge.inside.testing.handle import is_handle, link_of
from nbjudge.inside.testing.verbs import note
from nbjudge.inside.values import Tensor, nn


def build(
    cls: Callable[..., nn.Module],
    *args: Any,
    weights: Mapping[str, Tensor] | None = None,
    **kwargs: Any,
) -> nn.Module:
    """Construct a learner's module and give it these weights.

    Parameters
    ----------
    cls, args, kwargs:
        The class, and what to construct it with.
    weights:
        Parameter → value. The module must have exactly these parameters, with these shapes. It is
        converted to the values' dtype.

    Raises
    ------
    Mistake
        If the construction fails, or if parameters are missing, extra, of another shape, or plain
        tensors that no optimiser would find.
    """
    note(cls)
    if is_handle(cls):
        return link_of(cls).build(cls, args, kwargs, weights)
    return served.build(cls, args, kwargs, weights)


def parameter_shapes(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter that an optimiser would find."""
    if is_handle(module):
        return link_of(module).parameter_shapes(module)
    return served.parameter_shapes(module)


def parameter_values(module: nn.Module) -> dict[str, Tensor]:
    """A copy of each parameter."""
    if is_handle(module):
        return link_of(module).parameter_values(module)
    return served.parameter_values(module)


def parameter_gradients(
    module: nn.Module, *args: Any, cotangent: Tensor, output: int | None = None
) -> dict[str, Tensor | None]:
    """Gradients of ⟨result, cotangent⟩ with respect to each parameter; see :func:`gradients`."""
    if is_handle(module):
        return link_of(module).parameter_gradients(module, args, cotangent, output)
    return served.parameter_gradients(module, args, cotangent, output)


def switch(module: nn.Module, to: str) -> nn.Module:
    """Put the module into ``"train"`` or ``"eval"`` mode, and return it.

    Raises
    ------
    ValueError
        If ``to`` is neither.
    """
    if to not in ("train", "eval"):
        raise ValueError(f'to must be "train" or "eval", got {to!r}')
    if is_handle(module):
        return link_of(module).switch(module, to)
    return served.switch(module, to)


def mode(module: nn.Module) -> str:
    """The module's mode, ``"train"`` or ``"eval"``."""
    if is_handle(module):
        return link_of(module).mode(module)
    return served.mode(module)
