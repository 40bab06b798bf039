"""Does a module return the same output for the same input: again, later, and in either mode?"""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from tfcourse.modes import in_mode
from tfcourse.properties.calling import Module, another, distance, modes, run


def assert_stateless(
    module: Module, *inputs: Tensor, vocab_size: int | None = None, atol: float = 1e-6
) -> None:
    """Check that calls leave no state behind and change no input.

    The same input must give the same output at a second call, and again after another input, in
    each mode; after all these calls, eval mode must still give the first output, and for the other
    input what a fresh copy of the module gives. Masks and other boolean inputs stay as they are;
    other arguments as for :func:`assert_causal`.
    """
    kept = [x.clone() for x in inputs]
    others = [x if x.dtype == torch.bool else another(x, x, vocab_size) for x in inputs]
    fresh = copy.deepcopy(module)
    with in_mode(module, train=False):
        first = run(module, *inputs)
    for said in modes(module):
        once = run(module, *inputs)
        _same(once, run(module, *inputs), f"at the second call{said}", atol)
        run(module, *others)
        _same(once, run(module, *inputs), f"after a call with another input{said}", atol)
    with in_mode(module, train=False):
        _same(first, run(module, *inputs), "in eval mode after calls in train mode", atol)
        given = run(module, *others)
    with in_mode(fresh, train=False):
        _same(run(fresh, *others), given, "than a fresh copy of the module gives", atol)
    for n, (x, was) in enumerate(zip(inputs, kept, strict=True)):
        if not torch.equal(x, was):
            raise AssertionError(f"input {n} was written to: a module may not change its inputs")


def _same(a: Tensor, b: Tensor, when: str, atol: float) -> None:
    moved = distance(a, b)
    if not moved <= atol:
        raise AssertionError(
            f"state is left behind between calls: the same input gives a different output {when}, "
            f"by {moved:.2g}. Look for caches, running statistics, and changes in place."
        )


def assert_same_in_train_and_eval(module: Module, *inputs: Tensor, atol: float = 1e-6) -> None:
    """Check that without dropout train and eval mode agree, up to ``atol``.

    This catches a mask that is set in only one mode, and normalisation over the batch. Anything
    that is not a :class:`torch.nn.Module`, or is random in train mode, raises ``ValueError``.
    """
    if not isinstance(module, torch.nn.Module):
        raise ValueError(f"module must be a torch.nn.Module, got {type(module).__name__}")
    with in_mode(module, train=False):
        evaluated = run(module, *inputs)
    with in_mode(module, train=True):
        trained = run(module, *inputs)
        if not distance(trained, run(module, *inputs, seed=1)) == 0:
            raise ValueError(
                "module must be built without dropout: in train mode its output is random"
            )
    moved = distance(trained, evaluated)
    if not moved <= atol:
        raise AssertionError(
            f"train and eval mode differ by {moved:.2g} though nothing is random. "
            "Look for code that depends on the mode: a mask, statistics over the batch."
        )
