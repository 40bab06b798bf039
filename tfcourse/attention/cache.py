"""Keys and values of the tokens so far, kept so that each is computed once."""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one


class KeyValueCache:
    """The keys and values of one layer, written into memory that is allocated once.

    Parameters
    ----------
    max_length:
        Most tokens it can hold. Its memory is taken at the first :meth:`append`, in the dtype and
        on the device of what is appended.

    Attributes
    ----------
    length:
        Tokens held so far; the next one stands at this position.

    Notes
    -----
    Without it a model that writes token after token computes every earlier key again at each step.
    It is for writing, not for learning: keys are written in place, so no gradient goes back through
    it; call the model under :func:`torch.no_grad`.
    """

    def __init__(self, max_length: int) -> None:
        at_least_one(max_length=max_length)
        self.max_length, self.length = max_length, 0
        self._k: Tensor | None = None
        self._v: Tensor | None = None

    def append(
        self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Add the keys and values of new tokens, and give those of all tokens so far.

        Raises
        ------
        ValueError
            If they do not fit in any more, or are not like those held.
        """
        start, new = self.length, k.shape[-2]
        stop = start + new
        if stop > self.max_length:
            raise ValueError(f"the cache must hold {stop} tokens, max_length is {self.max_length}")
        if self._k is None or self._v is None:
            # One place more than is ever filled, so that what is held is never all of the memory,
            # which has other strides: a compiled step would need a graph for the last token.
            self._k = k.new_empty(*k.shape[:-2], self.max_length + 1, k.shape[-1])
            self._v = v.new_empty(*v.shape[:-2], self.max_length + 1, v.shape[-1])
        places_k, places_v = self._k.narrow(-2, start, new), self._v.narrow(-2, start, new)
        for name, x, places in (("k", k, places_k), ("v", v, places_v)):
            if x.shape != places.shape:  # copying would broadcast a batch of one without a word
                told = f"{name} must have shape {tuple(places.shape)}, got {tuple(x.shape)}"
                raise ValueError(told)
        places_k.copy_(k)
        places_v.copy_(v)
        self.length = stop
        return self._k.narrow(-2, 0, stop), self._v.narrow(-2, 0, stop)

    def held(self) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """The keys and values of all tokens so far.

        Raises
        ------
        ValueError
            If nothing was appended yet.
        """
        if self._k is None or self._v is None:
            raise ValueError("the cache must hold at least one token, it is empty")
        return self._k.narrow(-2, 0, self.length), self._v.narrow(-2, 0, self.length)

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Take these rows of the batch: beam search drops some hypotheses and doubles others."""
        if self._k is None or self._v is None:
            return
        for name in ("_k", "_v"):
            old = getattr(self, name)
            held = old[rows, ..., : self.length, :]  # the memory behind it is not worth copying
            if len(rows) != len(old):
                setattr(self, name, old.new_empty(len(rows), *old.shape[1:]))
            getattr(self, name)[..., : self.length, :] = held


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
