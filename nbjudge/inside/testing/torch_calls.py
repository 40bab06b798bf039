"""Watches calls of PyTorch functions, if the course's values are PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.overrides import TorchFunctionMode

from nbjudge.inside.kinds import Forbidden


class Watch(TorchFunctionMode):
    """Watches every call of a PyTorch function, by whatever name.

    Parameters
    ----------
    kinds:
        The kinds that are forbidden.
    refuse:
        Called with the name and the kind of a forbidden function.
    """

    def __init__(self, kinds: list[Forbidden], refuse: Callable[[str, Forbidden], None]) -> None:
        super().__init__()
        self.kinds, self.refuse = kinds, refuse

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "").partition(".")[0]  # torch.ops adds ".default"
        for kind in self.kinds:
            if name in kind.torch_functions and kind.means(args, kwargs):
                self.refuse({"matmul": "@", "__matmul__": "@"}.get(name, name), kind)
        return func(*args, **kwargs)
