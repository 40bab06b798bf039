"""Makes a process without what is to be written by hand, before a learner's code comes into it.

Where :func:`tfcourse.grading.testing.by_hand` watches calls, this takes away what is called:

- PyTorch's operators, at its dispatcher, through which every spelling of a call goes, those of
  ``torch.ops``, ``vmap``, TorchScript and the C++ bindings too;
- Python functions, by giving them another body, so that it does not matter who holds them;
- modules, which can no longer be imported.

Each says what :data:`tfcourse.grading.kinds.KINDS` says of it. It holds for the life of
the process; there is no way back.
"""

from __future__ import annotations

import ctypes
import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
from torch import Tensor

from tfcourse.grading.kinds import KINDS, Forbidden, check
from tfcourse.grading.testing.by_hand import functions, refuse

_removed: tuple[str, ...] = ()

#: Every key under which an operator is looked up that could have a kernel of its own.
DISPATCH_KEYS = (
    *("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU", "CUDA", "Meta"),
    *("NestedTensorCPU", "SparseCPU", "AutogradCPU", "AutogradCUDA", "AutogradNestedTensor"),
    *("AutogradOther", "FuncTorchBatched", "FuncTorchBatchedDecomposition"),
    *("FuncTorchGradWrapper", "FuncTorchDynamicLayerFrontMode", "BatchedNestedTensor"),
    *("AutocastCPU", "Functionalize", "ADInplaceOrView", "Autograd"),
)


def removed() -> tuple[str, ...]:
    """The kinds that this process is wholly without, so that nobody need watch for them.

    Those whose PyTorch functions stay because no operator is theirs alone are not among them.
    Products of matrices are such: where one side is 1 long, only who watches the call can tell a
    product of matrices from one with a vector.
    """
    kinds = {name: KINDS[name] for name in _removed}
    return tuple(n for n, kind in kinds.items() if kind.operators or not kind.torch_functions)


def remove(*what: str) -> None:
    """Take away what these kinds name, in this process and for good; what is gone already is passed
    over.

    Parameters
    ----------
    what:
        Names out of :data:`tfcourse.grading.kinds.KINDS`.

    Raises
    ------
    ValueError
        Where a name is not one of them.
    """
    global _removed
    check(what)
    what = tuple(name for name in what if name not in _removed)
    gone = tuple(f"{path}." for name in what for path in KINDS[name].modules)
    # Only where there are any: in a forked process, looking at every module copies their memory.
    for loaded in [m for m in sys.modules if f"{m}.".startswith(gone)] if gone else ():
        del sys.modules[loaded]
    for name in what:
        kind = KINDS[name]
        for function, told in functions(kind, load=False):
            for body in {function, inspect.unwrap(function)}:
                _replace_body(body, told, name)
        if kind.operators:
            _override(lambda op, kind=kind: any(part in op for part in kind.operators), kind)
        if name == "matrix products":
            _override_products(kind)
    sys.meta_path.insert(0, NotHere(what))
    _removed += what


def files(what: Sequence[str]) -> list[Path]:
    """Files and folders, the course's and other libraries', that hold what these kinds name.

    For a sandbox that can cover them: who takes the finder away still does not find them. PyTorch's
    own are not among them, as PyTorch itself reads some of them late.
    """
    found = []
    package = Path(__file__).resolve().parents[2]
    for path in {path for name in what for path in KINDS[name].modules}:
        if path.startswith("tfcourse."):
            place = package.joinpath(*path.split(".")[1:])
            found += [p for p in (place, place.with_suffix(".py")) if p.exists()]
        elif "." not in path and (spec := PathFinder.find_spec(path)):
            found += map(Path, spec.submodule_search_locations or filter(None, [spec.origin]))
    return sorted(found)


def refused(name: str, kind: str) -> None:
    """What a function whose body was taken away calls instead."""
    refuse(name, KINDS[kind])


class NotHere:
    """An import finder that comes first and refuses the modules of these kinds."""

    def __init__(self, what: Sequence[str]):
        self.kinds = [KINDS[name] for name in what]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Explain itself for a module that is not to be had; leave all others to others."""
        for kind in self.kinds:
            for module in kind.modules:
                if name == module or name.startswith(f"{module}."):
                    refuse(name, kind)
        return None


def _replace_body(function: FunctionType, name: str, kind: str) -> None:
    source = (
        "def refused(*args, **kwargs):\n"
        f"    __import__({__name__!r}, fromlist=['refused']).refused({name!r}, {kind!r})\n"
    )
    made: dict[str, Any] = {}
    exec(compile(source, function.__code__.co_filename, "exec"), made)
    if not function.__code__.co_freevars:
        function.__defaults__ = function.__kwdefaults__ = None
        function.__code__ = made["refused"].__code__


@cache
def operators() -> tuple[str, ...]:
    """The names of PyTorch's operators."""
    every = torch._C._dispatch_get_all_op_names()
    return tuple(op.removeprefix("aten::") for op in every if op.startswith("aten::"))


def _override(chosen: Callable[[str], bool], kind: Forbidden) -> None:
    """Every operator of PyTorch's whose name is chosen refuses, under every key."""
    names = filter(chosen, operators())
    kernels = {name: _refusing(name.partition(".")[0], kind) for name in names}
    _implement(kernels, DISPATCH_KEYS)


def _implement(kernels: dict[str, Callable], keys: Sequence[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a kernel is overridden is what is wanted
        for key in keys:
            library = torch._C._dispatch_library("IMPL", "aten", key, __file__, 1)
            for name, kernel in kernels.items():
                library.impl(name, key, kernel, False)
            _keep_for_good(library)


#: Where pybind11 keeps in an object whether it owns what it stands for; and what it writes there
#: for one that does: owned, of the simple layout, its holder made, registered.
_FLAGS_AT, _OWNED, _SIZE = 48, 0b1111, 56


def _keep_for_good(library: object) -> None:
    """See to it that what a library registered ends with the process alone.

    It would end with the library's Python object, and whoever searches the process's memory finds
    that, however well it is hidden. So the object is made to own nothing, and may go.
    """
    flags = ctypes.c_uint8.from_address(id(library) + _FLAGS_AT)
    if type(library).__basicsize__ == _SIZE and flags.value == _OWNED:
        flags.value &= ~0b101
    else:  # another pybind11
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


#: PyTorch's other ways to a product of matrices begin like this; they have keys of their own.
OTHER_PRODUCTS = ("_sparse_mm", "_sparse_addmm", "sspaddmm", "mkldnn_conv", "mkldnn_linear")
OTHER_PRODUCTS += ("_convolution", "thnn_conv", "slow_conv", "_slow_conv", "_nnpack_spatial")


def _override_products(kind: Forbidden) -> None:
    """Products of two matrices refuse; those with a vector are computed, from sums."""

    def product(a: Tensor, b: Tensor, name: str = "@") -> Tensor:
        if min(a.shape[-2], a.shape[-1], b.shape[-1]) > 1:
            refuse(name, kind)
        return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2)

    def plus(c: Tensor, a: Tensor, b: Tensor, *, beta=1, alpha=1) -> Tensor:
        # As PyTorch has it, a beta of 0 ignores even NaN in what is added.
        scaled = product(a, b) * alpha
        return scaled + beta * c if beta else scaled

    def plus_batch(c: Tensor, a: Tensor, b: Tensor, *, beta=1, alpha=1) -> Tensor:
        return plus(c, a.movedim(0, 1).flatten(1), b.flatten(0, 1), beta=beta, alpha=alpha)

    kernels = {"mm": product, "bmm": product, "addmm": plus, "baddbmm": plus, "addbmm": plus_batch}
    into = {f"{name}.out": _refusing(name, kind) for name in kernels}
    others = ("_addmm_activation", "_int_mm", "convolution", "conv_tbc", "_trilinear")
    _implement({**kernels, **into, **{name: _refusing(name, kind) for name in others}}, ["CPU"])
    _override(lambda op: op.startswith(OTHER_PRODUCTS), kind)


def _refusing(name: str, kind: Forbidden) -> Callable:
    return lambda *args, **kwargs: refuse(name, kind)
