"""Temporarily switch between train and eval mode, or read parameters faster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn

from tfcourse.wrapped import is_part, unwrapped


@contextmanager
def in_mode(module: object, train: bool) -> Iterator[None]:
    """Put a module into train or eval mode; afterwards the mode of every part is restored."""
    if not isinstance(module, nn.Module):  # a plain function has no modes
        yield
        return
    was = {part: part.training for part in module.modules()}
    module.train(train)
    try:
        yield
    finally:
        for part, training in was.items():
            part.training = training


def is_plain(module: object) -> bool:
    """Whether no part of a module is compiled, inside a wrapper or sharded over processes."""
    return isinstance(module, nn.Module) and not any(
        getattr(part, "_compiled_call_impl", None) is not None
        or unwrapped(part) is not part
        or any(map(is_part, part.parameters(recurse=False)))
        for part in module.modules()
    )


@contextmanager
def direct_attributes(module: object) -> Iterator[None]:
    """Let Python find a plain module's parameters and parts like any other attribute.

    PyTorch keeps them in dictionaries of its own, where Python looks last: each time that takes
    half as long as a small operation. Within this context no parameter may be replaced, except by
    assigning to it. Any other module is left alone.
    """
    added: list[tuple[nn.Module, str]] = []
    if is_plain(module):
        assert isinstance(module, nn.Module)
        for part in module.modules():
            for name, thing in (*part.named_parameters(recurse=False), *part.named_children()):
                if name not in vars(part):
                    vars(part)[name] = thing
                    added.append((part, name))
    try:
        yield
    finally:
        for part, name in added:
            vars(part).pop(name, None)
