"""Watches calls of PyTorch functions, if the course's values are PyTorch's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import (
    BuiltinFunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any, NoReturn

from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from nbjudge.inside.forbidden import Forbidden

Refuse = Callable[[str, Forbidden], NoReturn]

#: Functions that are written in C, and those of them that call a function that they are given.
NATIVE = BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType
CALLING = ("apply_", "map_", "map2_", "register_hook")


@contextmanager
def watching(entries: list[Forbidden], refuse: Refuse) -> Iterator[None]:
    """Watch every call of a PyTorch function, by whatever name, and of an operator that it uses.

    Parameters
    ----------
    entries:
        What is forbidden.
    refuse:
        Called with the name and the entry of a forbidden function.
    """
    with ExitStack() as stack:
        for entry in entries:
            if entry.gradients:
                stack.enter_context(_without_backward(entry, refuse))
        named = [entry for entry in entries if entry.torch_functions or entry.operators]
        if named:  # otherwise every operation would be slower for nothing
            stack.enter_context(_Operators(named, refuse))
            stack.enter_context(_Functions(named, refuse))
        yield


def _without_backward(entry: Forbidden, refuse: Refuse) -> saved_tensors_hooks:
    """Refuse a backward pass, however it is started, once it needs what a forward pass saved."""
    return saved_tensors_hooks(lambda tensor: tensor, lambda tensor: refuse("backward", entry))


def _name(func: Any) -> str:
    """The name of a function, or of an operator without its overload."""
    return str(getattr(func, "__name__", "")).partition(".")[0]


class _Functions(TorchFunctionMode):
    """Sees PyTorch's functions, methods and ``torch.ops``."""

    def __init__(self, entries: list[Forbidden], refuse: Refuse) -> None:
        super().__init__()
        self.entries, self.refuse = entries, refuse
        #: What need not be looked at again, since loops over numbers call the same few very often;
        #: and whether it runs no Python, so that nothing in it need be watched.
        self.harmless: dict[Any, bool] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in self.harmless:
            # A subclass's own code runs inside the function.
            native = self.harmless[func] and all(entry is Tensor for entry in types)
            return _unwatched(func, args, kwargs) if native else func(*args, **kwargs)
        name = _name(func)
        named = [entry for entry in self.entries if name in entry.torch_functions]
        for entry in named:
            if entry.means(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), entry)
        if not named:
            self.harmless[func] = isinstance(func, NATIVE) and name not in CALLING
        return func(*args, **kwargs)


def _unwatched(func: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Call a function that runs no Python, without looking at each step of the modes."""
    profile = sys.getprofile()
    sys.setprofile(None)
    try:
        return func(*args, **kwargs)
    finally:
        sys.setprofile(profile)


class _Dispatched:
    """What the mode below does; in its own class PyTorch would wrap it, and load a compiler."""

    entries: list[Forbidden]
    refuse: Refuse
    harmless: set[Any]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in self.harmless:
            name = _name(func).rstrip("_")  # also if it works in place
            named = [entry for entry in self.entries if name in entry.torch_functions]
            for entry in self.entries:
                if any(part in name for part in entry.operators) or (
                    entry in named and entry.means(args, kwargs)
                ):
                    self.refuse(name, entry)
            if not named:
                self.harmless.add(func)
        return func(*args, **kwargs)


class _Operators(_Dispatched, TorchDispatchMode):
    """Sees the operators that run in the end, such as those called by TorchScript or from C++."""

    def __init__(self, entries: list[Forbidden], refuse: Refuse) -> None:
        super().__init__()
        self.entries, self.refuse, self.harmless = entries, refuse, set()
