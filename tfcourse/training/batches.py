"""Batches in order: the position of training in its data, and how to return to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor


def moved(batch: Any, device: torch.device) -> Any:
    """The batch with every tensor on ``device``; tuples, lists and dicts keep their types."""
    return mapped(batch, lambda tensor: tensor.to(device, non_blocking=True))


def mapped(nest: Any, change: Callable[[Tensor], Any]) -> Any:
    """The same tuples, lists and dicts with every tensor changed."""
    if isinstance(nest, Tensor):
        return change(nest)
    if isinstance(nest, Mapping):
        return {key: mapped(part, change) for key, part in nest.items()}
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(mapped(part, change) for part in nest))
    if isinstance(nest, list | tuple):
        return type(nest)(mapped(part, change) for part in nest)
    return nest


class Stream:
    """An endless stream of batches: after each pass over the data, the next begins.

    Each pass over ``batches`` is an epoch. They may have

    - ``state_dict()`` and ``load_state_dict(state)``: the next batch's position, in dicts, lists,
      numbers, strings and tensors. After loading, iteration continues from there;
    - ``shard(rank, world)``: the batches of one of several processes.

    A list or tuple has a fixed order and needs neither to be resumed.
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        self.batches = batches
        self.epoch = self.index = 0  # of the next batch
        self._pass: Iterator[Any] | None = None

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Any:
        for _ in range(2):  # a resumed pass may have nothing left: one more
            if self._pass is None:
                self._pass = iter(self.batches)
            for batch in self._pass:
                self.index += 1
                return batch
            self._pass = None
            self.epoch, self.index = self.epoch + 1, 0
        raise ValueError(
            f"batches must yield some at every pass, got none from {type(self.batches).__name__} "
            f"at pass {self.epoch}: it is empty, or can be iterated over only once"
        )

    @property
    def can_resume(self) -> bool:
        """Whether another process can find the next batch again."""
        return hasattr(self.batches, "state_dict") or (
            isinstance(self.batches, Sequence) and not isinstance(self.batches, str)
        )

    def state_dict(self) -> dict[str, Any]:
        """The position of the next batch."""
        own = self.batches.state_dict() if hasattr(self.batches, "state_dict") else None
        return {"epoch": self.epoch, "index": self.index, "batches": own}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Return to the position of a :meth:`state_dict`."""
        self.epoch, self.index = state["epoch"], state["index"]
        if state["batches"] is not None:
            batches: Any = self.batches
            batches.load_state_dict(state["batches"])
            self._pass = None
        else:
            self._pass = islice(iter(self.batches), self.index, None)
