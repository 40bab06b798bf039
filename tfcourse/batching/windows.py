"""Windows: a long text in pieces of fixed length, for language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import torch
from jaxtyping import Int
from torch import Tensor

from tfcourse.arguments import at_least_one


class Windows(Sequence[tuple[Tensor, Tensor]]):
    """Pieces of one long text, each with the token that follows each of its tokens.

    A window is ``length + 1`` tokens, ``x = window[:-1]`` and ``y = window[1:]``. Windows begin
    ``stride`` tokens apart. With ``stride=1`` and shuffled batches these are the random windows on
    which language models are trained; with ``stride=length``, the default, each token is a target
    once. A text shorter than one window raises ``ValueError``.

    Notes
    -----
    Karpathy's nanoGPT, ``get_batch``, which draws with replacement;
    :class:`~tfcourse.batching.Batches` draws each window once per epoch.
    """

    def __init__(self, ids: Tensor, length: int, stride: int | None = None) -> None:
        stride = length if stride is None else stride
        at_least_one(length=length, stride=stride)
        ids = torch.as_tensor(ids)
        if ids.dim() != 1 or ids.is_floating_point():
            raise ValueError(f"ids must be a row of ids, got {tuple(ids.shape)} of {ids.dtype}")
        if len(ids) < length + 1:
            raise ValueError(f"ids must have length + 1 = {length + 1} tokens, got {len(ids)}")
        self.length = length
        self.stride = stride
        self._windows = ids.unfold(0, length + 1, stride)  # (windows, T + 1), a view

    def __len__(self) -> int:
        return len(self._windows)

    @overload
    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[Tensor, Tensor]]: ...

    def __getitem__(
        self, index: int | slice
    ) -> tuple[Tensor, Tensor] | list[tuple[Tensor, Tensor]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"index must lie within {len(self)} windows, got {index}")
        window = self._windows[index].long()
        return window[:-1], window[1:]

    def batch(self, indices: Int[Tensor, " B"]) -> tuple[Int[Tensor, "B T"], Int[Tensor, "B T"]]:
        """The windows at these indices, as ``x`` and ``y``."""
        windows = self._windows[indices].long()
        return windows[:, :-1], windows[:, 1:]
