"""Verbs for a learner's modules: construct one, load given weights, look at its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tfcourse.grading.testing.mistake import Mistake
from tfcourse.grading.testing.verbs import backward, copied, name_of, run


def build(
    cls: Callable[..., nn.Module],
    *args: Any,
    weights: Mapping[str, Tensor] | None = None,
    **kwargs: Any,
) -> nn.Module:
    """Construct a learner's module, and give it these weights.

    Parameters
    ----------
    cls, args, kwargs:
        The class and what to construct it with.
    weights:
        Parameter → value. The module must have these parameters, of these shapes, and no others.
        Where the values are float64 so is the module afterwards.

    Raises
    ------
    Mistake
        Where constructing fails; where parameters are missing, too many, of another shape, or are
        plain tensors that no optimiser would find.
    """
    module = run(cls, copied(args), copied(kwargs))
    if not isinstance(module, nn.Module):
        raise Mistake(f"`{name_of(cls)}` must be a class that derives from nn.Module.")
    if weights is None:
        return module
    parameters = dict(module.named_parameters())
    _same_names(module, parameters, weights, name_of(cls))
    for name, value in weights.items():
        _same_shape(name, tuple(parameters[name].shape), tuple(value.shape))
    module.to(next(iter(weights.values())).dtype)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(weights[name])
    return module


def parameter_shapes(module: nn.Module) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter that an optimiser would find."""
    return {name: tuple(p.shape) for name, p in module.named_parameters()}


def parameter_values(module: nn.Module) -> dict[str, Tensor]:
    """A copy of each parameter."""
    return {name: p.detach().clone() for name, p in module.named_parameters()}


def parameter_gradients(
    module: nn.Module, *args: Any, cotangent: Tensor, output: int | None = None
) -> dict[str, Tensor | None]:
    """Gradients of ⟨result, cotangent⟩ with respect to each parameter; see :func:`gradients`."""
    parameters = dict(module.named_parameters())
    if not parameters:
        raise Mistake(f"`{name_of(module)}` has no parameters: nothing in it could be trained.")
    result = run(module, copied(args), {})
    found = backward(result, list(parameters.values()), cotangent, output, module)
    return dict(zip(parameters, found, strict=True))


def switch(module: nn.Module, to: str) -> nn.Module:
    """Put the module into ``"train"`` or ``"eval"`` mode, and give it back."""
    if to not in ("train", "eval"):
        raise ValueError(f'to must be "train" or "eval", got {to!r}')
    return module.train(to == "train")


def mode(module: nn.Module) -> str:
    """The mode that the module is in, ``"train"`` or ``"eval"``."""
    return "train" if module.training else "eval"


def _same_names(
    module: nn.Module, parameters: Mapping[str, Tensor], weights: Mapping[str, Tensor], cls: str
) -> None:
    asked = ", ".join(f"{name} {tuple(value.shape)}" for name, value in weights.items())
    has = ", ".join(f"{name} {tuple(p.shape)}" for name, p in parameters.items()) or "none"
    missing = [name for name in weights if name not in parameters]
    if plain := [name for name in missing if isinstance(getattr(module, name, None), Tensor)]:
        raise Mistake(
            f"In `{cls}` a plain tensor stands for {', '.join(plain)}: no optimiser would find it, "
            f"and it would not be saved. Wrap it: self.{plain[0]} = nn.Parameter(...)."
        )
    if linear := [name for name in missing if isinstance(getattr(module, name, None), nn.Linear)]:
        raise Mistake(
            f"In `{cls}` an nn.Linear stands for {', '.join(linear)}: it keeps its matrix turned "
            f"round, as `{linear[0]}.weight` of shape (out, in), and may add a bias. Asked for are "
            f"the matrices themselves, as nn.Parameter: {asked}."
        )
    if missing or set(parameters) - set(weights):
        raise Mistake(f"The parameters of `{cls}` must be {asked}. It has: {has}.")


def _same_shape(name: str, has: tuple[int, ...], asked: tuple[int, ...]) -> None:
    if has == asked:
        return
    hint = ""
    if has == asked[::-1]:
        hint = " It is turned round: tokens are rows, X W, so W has a row for each input feature."
    raise Mistake(f"The parameter {name} has shape {has}, it must be {asked}.{hint}")
