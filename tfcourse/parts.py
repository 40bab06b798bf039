"""One parameter that holds several matrices: access by name, and loading from older files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Generic, Protocol, Self, TypeVar, overload, runtime_checkable

import torch
from torch import Tensor

#: The matrices that each parameter holds side by side, in this order.
HELD = {
    "W_QKV": ("W_Q", "W_K", "W_V"),
    "W_KV": ("W_K", "W_V"),
    "b_QKV": ("b_Q", "b_K", "b_V"),
}


@runtime_checkable
class HasParts(Protocol):
    """A layer some of whose parameters hold several matrices."""

    def parts(self) -> dict[str, tuple[str, slice]]:
        """For each part, the parameter that holds it and its columns there."""


#: A part, or a part that some layers lack.
Held = TypeVar("Held", bound=Tensor | None)


class Part(Generic[Held]):
    """A name for some columns of a parameter: ``layer.W_Q`` is a view of ``layer.W_QKV``.

    The layer's method ``parts`` says which columns. Assignment copies values into them.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, layer: None, owner: type) -> Self: ...

    @overload
    def __get__(self, layer: HasParts, owner: type) -> Held: ...

    def __get__(self, layer: HasParts | None, owner: type) -> object:
        if layer is None:
            return self
        parts = layer.parts()
        if self.name not in parts:
            return None  # a layer without biases
        parameter, columns = parts[self.name]
        return getattr(layer, parameter)[..., columns]

    def __set__(self, layer: HasParts, value: Tensor) -> None:
        parameter, columns = layer.parts()[self.name]
        with torch.no_grad():
            getattr(layer, parameter)[..., columns] = value


def held_parts(name: str, names: Collection[str]) -> tuple[str, ...]:
    """The names under which older versions stored a parameter; none if it has not changed.

    ``name`` includes the path to the parameter; ``names`` are all those of today's model.
    """
    path, dot, last = name.rpartition(".")
    parts = HELD.get(last, ())
    if last == "W_QKV" and f"{path}{dot}W_KV" in names:  # the context has another width
        parts = parts[:1]
    return tuple(f"{path}{dot}{part}" for part in parts)


def join_parts(tensors: Mapping[str, Tensor], wanted: Collection[str]) -> dict[str, Tensor]:
    """The tensors of an older file under current names: W_Q, W_K and W_V as one, and so on.

    Tensors already stored under one of the ``wanted`` names are left as they are.
    """
    found = dict(tensors)
    for name in wanted:
        parts = held_parts(name, wanted)
        if name not in found and parts and all(part in found for part in parts):
            found[name] = torch.cat([found.pop(part) for part in parts], dim=-1)
    return found
