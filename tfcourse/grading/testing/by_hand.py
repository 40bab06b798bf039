"""What is to be written by hand cannot be called."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType

import torch
from torch.overrides import TorchFunctionMode

from tfcourse.grading.testing.mistake import Mistake


@dataclass(frozen=True)
class Forbidden:
    """One thing to be written by hand, and everything that would do it instead.

    PyTorch's functions are known by name however they were imported; Python functions, and all
    functions of the modules and classes named, by their dotted path.
    """

    why: str
    torch_functions: frozenset[str]
    python: tuple[str, ...] = ()
    only: Callable[[tuple, dict], bool] = field(default=lambda args, kwargs: True)


def _two_matrices(args: tuple, kwargs: dict) -> bool:
    found = [*args, *kwargs.values()]
    found += [inner for value in found if isinstance(value, list | tuple) for inner in value]
    return sum(isinstance(value, torch.Tensor) and value.ndim >= 2 for value in found) >= 2


#: What a piece can ask to be written by hand.
KINDS: dict[str, Forbidden] = {
    "attention": Forbidden(
        why="does the whole of this piece for you. Here attention is written by hand, from "
        "products, a softmax and a sum: take the call out and follow the formula.",
        torch_functions=frozenset(
            {
                "scaled_dot_product_attention",
                "_scaled_dot_product_attention_math",
                "_scaled_dot_product_flash_attention_for_cpu",
                "multi_head_attention_forward",
                "_native_multi_head_attention",
                "_transformer_encoder_layer_fwd",
            }
        ),
        python=(
            "torch.nn.functional.multi_head_attention_forward",
            "torch.nn.MultiheadAttention",
            "torch.nn.TransformerEncoderLayer",
            "torch.nn.TransformerDecoderLayer",
            "torch.nn.attention.flex_attention",
            "tfcourse.attention",
        ),
    ),
    "matrix products": Forbidden(
        why="multiplies two matrices at once. This piece is about the loop that such a product "
        "hides: take one query at a time (a product of a matrix and one vector is allowed).",
        torch_functions=frozenset(
            {"matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "tensordot", "linear"}
            | {"__matmul__", "__rmatmul__", "inner", "chain_matmul", "multi_dot"}
        ),
        only=_two_matrices,
    ),
}

_forbidden: tuple[str, ...] = ()


def by_hand(*what: str) -> None:
    """Say what must be written by hand from here on: calling it in a verb explains itself.

    Holds while a verb runs a learner's code, until the next ``by_hand``. It is there to teach, and
    stops nobody who means to get round it: that is the work of the grader's sandbox.

    Parameters
    ----------
    what:
        Names out of :data:`KINDS`, such as ``"attention"``; none allows everything.

    Raises
    ------
    ValueError
        Where a name is not one of them.
    """
    global _forbidden
    if unknown := sorted(set(what) - set(KINDS)):
        raise ValueError(f"what must be among {', '.join(sorted(KINDS))}; got {', '.join(unknown)}")
    _forbidden = what


@contextmanager
def watched() -> Iterator[None]:
    """Run a learner's code; what :func:`by_hand` forbids raises a :class:`Mistake` in it."""
    kinds = [KINDS[name] for name in _forbidden]
    if not kinds:
        yield
        return
    watch = _Watch(kinds)
    codes = {code: (kind, name) for kind in kinds for code, name in _codes(kind)}

    def profile(frame: FrameType, event: str, arg: object) -> None:
        if event == "call" and frame.f_code in codes:
            kind, name = codes[frame.f_code]
            watch.refuse(name, kind)

    before = sys.getprofile()
    try:
        with watch:
            if codes:
                sys.setprofile(profile)
            try:
                yield
            finally:
                sys.setprofile(before)
    except Exception:
        # Work that catches the refusal, or fails on it in its own way, is told of it all the same.
        if watch.refused:
            raise watch.refused from None
        raise
    if watch.refused:
        raise watch.refused


class _Watch(TorchFunctionMode):
    """Sees every call of a PyTorch function, whatever name it goes by."""

    def __init__(self, kinds: list[Forbidden]) -> None:
        super().__init__()
        self.kinds = kinds
        self.refused: Mistake | None = None

    def refuse(self, name: str, kind: Forbidden) -> None:
        self.refused = Mistake(f"`{name}` {kind.why}")
        raise self.refused

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "").partition(".")[0]  # torch.ops adds ".default"
        for kind in self.kinds:
            if name in kind.torch_functions and kind.only(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
        return func(*args, **kwargs)


def _codes(kind: Forbidden) -> Iterator[tuple[CodeType, str]]:
    """The code of every Python function that a kind names, with the name to tell a learner."""
    for path in kind.python:
        thing, name = _find(path), path.rpartition(".")[2]
        if not isinstance(thing, ModuleType):
            yield from ((code, name) for code in _codes_of(thing))
            continue
        for inner in vars(thing).values():
            if str(getattr(inner, "__module__", "")).startswith(path):
                yield from ((code, f"{path}.{inner.__name__}") for code in _codes_of(inner))


def _codes_of(thing: object) -> Iterator[CodeType]:
    if inspect.isfunction(thing):
        yield inspect.unwrap(thing).__code__
    elif inspect.isclass(thing):
        for inner in vars(thing).values():
            yield from _codes_of(inner)


def _find(path: str) -> object:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        parent, _, name = path.rpartition(".")
        return getattr(_find(parent), name)
