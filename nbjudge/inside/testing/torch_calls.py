"""Watches calls of PyTorch functions, if the course's values are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from torch.autograd.graph import saved_tensors_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from nbjudge.inside.kinds import Forbidden

Refuse = Callable[[str, Forbidden], NoReturn]


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
        stack.enter_context(_Operators(kinds, refuse))
        stack.enter_context(_Functions(kinds, refuse))
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

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name, kwargs = _name(func), kwargs or {}
        for kind in self.kinds:
            if name in kind.torch_functions and kind.means(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
        return func(*args, **kwargs)


class _Dispatched:
    """What the mode below does; in its own class PyTorch would wrap it, and load a compiler."""

    kinds: list[Forbidden]
    refuse: Refuse

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name, kwargs = _name(func).rstrip("_"), kwargs or {}  # also if it works in place
        for kind in self.kinds:
            if (name in kind.torch_functions and kind.means(args, kwargs)) or any(
                part in name for part in kind.operators
            ):
                self.refuse(name, kind)
        return func(*args, **kwargs)


class _Operators(_Dispatched, TorchDispatchMode):
    """Sees the operators that run in the end, such as those called by TorchScript or from C++."""

    def __init__(self, kinds: list[Forbidden], refuse: Refuse) -> None:
        super().__init__()
        self.kinds, self.refuse = kinds, refuse
