"""Sees the calls of PyTorch's functions, where its values are switched on."""

from __future__ import annotations

from collections.abc import Callable

from torch.overrides import TorchFunctionMode

from nbjudge.inside.kinds import Forbidden


class Watch(TorchFunctionMode):
    """Sees every call of a PyTorch function, whatever name it goes by.

    Parameters
    ----------
    kinds:
        What is forbidden.
    refuse:
        Called with the name and the kind of what is.
    """

    def __init__(self, kinds: list[Forbidden], refuse: Callable[[str, Forbidden], None]) -> None:
        super().__init__()
        self.kinds, self.refuse = kinds, refuse

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "").partition(".")[0]  # torch.ops adds ".default"
        for kind in self.kinds:
            if name in kind.torch_functions and kind.means(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
        return func(*args, **kwargs)
