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

from nbjudge.inside.kinds import Forbidden

Refuse = Callable[[str, Forbidden], NoReturn]

#: Functions that are written in C, and those of them that call a function that they are given.
NATIVE = BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, MethodWrapperType
CALLING = ("apply_", "map_", "map2_", "register_hook")


@contextmanager
def watching(kinds: list[Forbidden], refuse: Refuse) -> Iterator[None]:
    """Watch every call of a PyTorch function, by whatever name, and of an operator that it uses.

    Parameters
    ----------
    kinds:
        The kinds that are forbidden.
    refuse:
        Called with the name and the kind of a forbidden function.
    """
    with ExitStack() as stack:
        for kind in kinds:
            if kind.gradients:
                stack.enter_context(_without_backward(kind, refuse))
        named = [kind for kind in kinds if kind.torch_functions or kind.operators]
        if named:  # otherwise every operation would be slower for nothing
            stack.enter_context(_Operators(named, refuse))
            stack.enter_context(_Functions(named, refuse))
        yield


def _without_backward(kind: Forbidden, refuse: Refuse) -> saved_tensors_hooks:
    """Refuse a backward pass, however it is started, once it needs what a forward pass saved."""
    return saved_tensors_hooks(lambda tensor: tensor, lambda tensor: refuse("backward", kind))


def _name(func: Any) -> str:
    """The name of a function, or of an operator without its overload."""
    return str(getattr(func, "__name__", "")).partition(".")[0]


class _Functions(TorchFunctionMode):
    """Sees PyTorch's functions, methods and ``torch.ops``."""

    def __init__(self, kinds: list[Forbidden], refuse: Refuse) -> None:
        super().__init__()
        self.kinds, self.refuse = kinds, refuse
        #: What need not be looked at again, since loops over numbers call the same few very often;
        #: and whether it runs no Python, so that nothing in it need be watched.
        self.harmless: dict[Any, bool] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in self.harmless:
            # A subclass's own code runs inside the function.
            native = self.harmless[func] and all(kind is Tensor for kind in types)
            return _unwatched(func, args, kwargs) if native else func(*args, **kwargs)
        name = _name(func)
        named = [kind for kind in self.kinds if name in kind.torch_functions]
        for kind in named:
            if kind.means(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
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

    kinds: list[Forbidden]
    refuse: Refuse
    harmless: set[Any]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in self.harmless:
            name = _name(func).rstrip("_")  # also if it works in place
            named = [kind for kind in self.kinds if name in kind.torch_functions]
            for kind in self.kinds:
                if any(part in name for part in kind.operators) or (
                    kind in named and kind.means(args, kwargs)
                ):
                    self.refuse(name, kind)
            if not named:
                self.harmless.add(func)
        return func(*args, **kwargs)


class _Operators(_Dispatched, TorchDispatchMode):
    """Sees the operators that run in the end, such as those called by TorchScript or from C++."""

    def __init__(self, kinds: list[Forbidden], refuse: Refuse) -> None:
        super().__init__()
        self.kinds, self.refuse, self.harmless = kinds, refuse, set()
