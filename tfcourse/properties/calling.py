"""Call a module under test: its output, its mode, and changed inputs for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from tfcourse.modes import in_mode

Module = Callable[..., "Tensor | tuple[Tensor, ...]"]


def length_of(x: Tensor, at_least: int) -> int:
    """``T``; raises ``ValueError`` if it is too short to show anything."""
    if x.dim() < 2 or x.shape[1] < at_least:
        raise ValueError(
            f"x must be (B, T, ...) with T at least {at_least}, got shape {tuple(x.shape)}"
        )
    return x.shape[1]


@contextmanager
def seeded(seed: int = 0) -> Iterator[None]:
    """Use the same random numbers at every call; afterwards the generator is restored."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def first_output(output: Tensor | tuple) -> Tensor:
    """The output, or the first entry of a tuple."""
    return output[0] if isinstance(output, tuple) else output


def run(module: Module, *inputs: Tensor, seed: int = 0) -> Tensor:
    """The first output, without gradients, with the same random numbers at every call."""
    with seeded(seed), torch.no_grad():
        # A copy: a module that returns its input, or its own buffer, may write to it later.
        return first_output(module(*inputs)).clone()


def distance(a: Tensor, b: Tensor) -> float:
    """Largest absolute difference; infinite if the shapes differ, NaN if a number is NaN."""
    if a.shape != b.shape:
        return float("inf")
    return (a - b).abs().max().item() if a.numel() else 0.0


def another(part: Tensor, x: Tensor, vocab_size: int | None) -> Tensor:
    """Tokens like ``part`` with every entry changed, in the same way at every call."""
    generator = torch.Generator().manual_seed(1)
    if part.is_floating_point():
        noise = torch.randn(part.shape, generator=generator, dtype=torch.float64)
        return part + (1 + noise.abs()).to(part)
    size = int(x.max()) + 1 if vocab_size is None else vocab_size
    if size < 2:
        raise ValueError(f"vocab_size must be at least 2 to change a token, got {size}")
    step = torch.randint(1, size, part.shape, generator=generator).to(part)
    return (part + step) % size


def modes(module: Module) -> Iterator[str]:
    """Put the module into train and then eval mode; a plain function is tested once."""
    if not isinstance(module, torch.nn.Module):
        yield ""
        return
    for train in (True, False):
        with in_mode(module, train):
            yield f" in {'train' if train else 'eval'} mode"
