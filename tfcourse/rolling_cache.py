"""A cache of keys and values that forgets what no later token looks at."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one
from tfcourse.attention import KeyValueCache


class RollingCache(KeyValueCache):
    """The keys and values of the last tokens alone, for attention that looks back no further.

    Parameters
    ----------
    window:
        How many tokens a query looks at, its own among them.

    Attributes
    ----------
    length:
        Tokens read so far, more than are held; the next one stands at this position.

    Notes
    -----
    Jiang et al. 2023 (Mistral), section 2, "Rolling Buffer Cache": memory no longer grows with the
    text. ``append`` gives the last ``window - 1`` earlier tokens and the new ones, all that the new
    queries may look at.
    """

    def __init__(self, window: int) -> None:
        at_least_one(window=window)
        super().__init__(window)
        self.window = window

    def append(
        self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Add new tokens, forget those that no later one looks at; what the new ones look at.

        Raises
        ------
        ValueError
            If they are not like those held.
        """
        self.length += k.shape[-2]
        if self._k is not None and self._v is not None:
            for name, x, held in (("k", k, self._k), ("v", v, self._v)):
                like = (*held.shape[:-2], x.shape[-2], held.shape[-1])
                if x.shape != like:
                    raise ValueError(f"{name} must have shape {like}, got {tuple(x.shape)}")
            k, v = torch.cat([self._k, k], dim=-2), torch.cat([self._v, v], dim=-2)
        first = max(k.shape[-2] - (self.window - 1), 0)
        self._k, self._v = k[..., first:, :], v[..., first:, :]
        return k, v

    def held(self) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """The keys and values of the last ``window - 1`` tokens, which the next one looks at.

        Raises
        ------
        ValueError
            If nothing was appended yet.
        """
        if self._k is None or self._v is None:
            raise ValueError("the cache must hold at least one token, it is empty")
        return self._k, self._v

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Take these rows of the batch: beam search drops some hypotheses and doubles others."""
        if self._k is not None and self._v is not None:
            self._k, self._v = self._k[rows], self._v[rows]
