"""Does a module return the promised shapes for every batch size and sequence length?"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tfcourse.properties.calling import Module, seeded

#: Sizes tried for free letters: all different, so that swapped axes show, and then all 1.
TRIED = ((2, 5, 3, 7, 4, 6), (1, 1, 1, 1, 1, 1))


def assert_shapes(
    module: Module, promise: str, *, vocab_size: int | None = None, **sizes: int
) -> None:
    """Check that the module returns these shapes for these inputs, for any free sizes.

    Parameters
    ----------
    promise:
        Shapes in letters, as in the docstrings: ``"B T D -> B T D, B H T T"``. Inputs are left of
        the arrow and outputs right of it, separated by commas. Outputs that the promise does not
        name may be anything. A number stands for itself.
    vocab_size:
        If given, inputs are token ids below this; otherwise floats in the parameters' dtype, which
        the outputs must have too.
    sizes:
        Sizes of letters: ``D=8``. Input letters without a size, such as ``B`` and ``T``, are free:
        they are tried with different sizes, and with 1. An output letter that is in no input and
        has no size raises ``ValueError``.
    """
    inputs, outputs = _parse(promise)
    free = [letter for letter in dict.fromkeys(sum(inputs, [])) if not _known(letter, sizes)]
    for letter in sum(outputs, []):
        if letter not in free and not _known(letter, sizes):
            raise ValueError(
                f"sizes must say what {letter} is: no input of {promise!r} has such an axis"
            )
    if len(free) > len(TRIED[0]):
        raise ValueError(f"promise must have at most {len(TRIED[0])} free letters, got {free}")
    for tried in TRIED:
        size = {**sizes, **dict(zip(free, tried, strict=False))}
        given = [_draw(module, _shape(letters, size), vocab_size) for letters in inputs]
        with seeded(), torch.no_grad():
            got = module(*given)
        _compare(got, given, outputs, size, " ".join(f"{a}={size[a]}" for a in free))


def _compare(
    got: Any, given: list[Tensor], outputs: list[list[str]], size: dict, where: str
) -> None:
    """Compare the outputs of one call with the promise."""
    got = got if isinstance(got, tuple) else (got,)
    if len(got) < len(outputs):
        raise AssertionError(f"{len(outputs)} outputs are promised, got {len(got)}")
    for n, letters in enumerate(outputs):
        expected = _shape(letters, size)
        if not isinstance(got[n], Tensor):
            raise AssertionError(f"output {n} must be a tensor, got {type(got[n]).__name__}")
        if tuple(got[n].shape) != expected:
            raise AssertionError(
                f"output {n} must be ({', '.join(letters)}) = {expected}, "
                f"got {tuple(got[n].shape)}, with {where or 'these sizes'}"
            )
        if given and given[0].is_floating_point() and got[n].dtype != given[0].dtype:
            raise AssertionError(
                f"output {n} must have its input's dtype {given[0].dtype}, got {got[n].dtype}"
            )


def _parse(promise: str) -> tuple[list[list[str]], list[list[str]]]:
    if promise.count("->") != 1:
        raise ValueError(f'promise must be like "B T D -> B T D", got {promise!r}')
    left, right = ([shape.split() for shape in side.split(",")] for side in promise.split("->"))
    return left, right


def _known(letter: str, sizes: dict[str, int]) -> bool:
    return letter in sizes or letter.isdigit()


def _shape(letters: list[str], size: dict[str, int]) -> tuple[int, ...]:
    return tuple(int(a) if a.isdigit() else size[a] for a in letters)


def _draw(module: Module, shape: tuple[int, ...], vocab_size: int | None) -> Tensor:
    first = next(module.parameters(), None) if isinstance(module, torch.nn.Module) else None
    like = torch.empty(0) if first is None else first
    generator = torch.Generator().manual_seed(0)
    if vocab_size is not None:
        return torch.randint(vocab_size, shape, generator=generator).to(like.device)
    return torch.randn(shape, generator=generator).to(like)
