"""A cache that forgets keys and values that no later token attends to."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one, check_shapes
from tfcourse.attention import KeyValueCache


class RollingCache(KeyValueCache):
    """The keys and values of only the last tokens, for sliding-window attention.

    ``append`` returns the last ``window - 1`` earlier tokens and the new ones, all that the new
    queries may attend to, and ``length`` counts all tokens read so far, more than are held. What is
    stored no longer grows with the text. A mask still covers all tokens read so far; the layer
    takes the columns of the keys returned. A layer whose window is larger, or that attends to a
    context, raises ``ValueError``.

    Jiang et al. 2023 (Mistral), section 2, "Rolling Buffer Cache".
    """

    def __init__(self, window: int) -> None:
        at_least_one(window=window)
        super().__init__(window)
        self.window = window

    def append(
        self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Add new tokens, and forget those that no later one attends to.

        Tokens whose shape differs from those held raise ``ValueError``.
        """
        self.length += k.shape[-2]
        if self._k is not None and self._v is not None:
            new = k.shape[-2]
            like_k = (*self._k.shape[:-2], new, self._k.shape[-1])
            like_v = (*self._v.shape[:-2], new, self._v.shape[-1])
            check_shapes(k=(k, like_k), v=(v, like_v))
            k, v = torch.cat([self._k, k], dim=-2), torch.cat([self._v, v], dim=-2)
        first = max(k.shape[-2] - (self.window - 1), 0)
        self._k, self._v = k[..., first:, :], v[..., first:, :]
        return k, v

    def held(self) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """The keys and values of the last ``window - 1`` tokens; raises ``ValueError`` if none."""
        if self._k is None or self._v is None:
            raise ValueError("the cache must hold at least one token, it is empty")
        return self._k, self._v

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Keep these rows of the batch: beam search drops some hypotheses and duplicates others."""
        if self._k is not None and self._v is not None:
            self._k, self._v = self._k[rows], self._v[rows]
