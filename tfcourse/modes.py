"""Temporarily switch between train and eval mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


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
