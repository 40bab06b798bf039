"""The keys and values of earlier tokens, so that generation does not compute them again."""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor

from tfcourse.arguments import at_least_one, check_shapes


class KeyValueCache:
    """The keys and values of one layer, in memory that is allocated once.

    Without it, a model that generates token by token recomputes every earlier key at each step. It
    is for generation, not training: keys are written in place, so no gradient flows through it;
    call the model under :func:`torch.no_grad`. It holds at most ``max_length`` tokens; ``length``
    counts those held so far and is the position of the next one. Memory is allocated at the first
    :meth:`append`, with the dtype and device of what is appended.
    """

    def __init__(self, max_length: int) -> None:
        at_least_one(max_length=max_length)
        self.max_length, self.length = max_length, 0
        self._k: Tensor | None = None
        self._v: Tensor | None = None

    def append(
        self, k: Float[Tensor, "B G T K"], v: Float[Tensor, "B G T Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Add the keys and values of new tokens, and return those of all tokens so far.

        Raises ``ValueError`` if they exceed ``max_length`` or differ in shape from those held.
        """
        start, new = self.length, k.shape[-2]
        stop = start + new
        if stop > self.max_length:
            raise ValueError(f"the cache must hold {stop} tokens, max_length is {self.max_length}")
        if self._k is None or self._v is None:
            # One position more than is ever filled, so that the view is never the whole memory,
            # which has other strides: a compiled step would need another graph for the last token.
            # Zeros, since what a mask hides must be finite: a static step reads all positions.
            self._k = k.new_zeros(*k.shape[:-2], self.max_length + 1, k.shape[-1])
            self._v = v.new_zeros(*v.shape[:-2], self.max_length + 1, v.shape[-1])
        places_k, places_v = self._k.narrow(-2, start, new), self._v.narrow(-2, start, new)
        if k.shape != places_k.shape or v.shape != places_v.shape:
            check_shapes(k=(k, places_k.shape), v=(v, places_v.shape))
        places_k.copy_(k)
        places_v.copy_(v)
        self.length = stop
        return self._k.narrow(-2, 0, stop), self._v.narrow(-2, 0, stop)

    def held(self) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """The keys and values of all tokens so far; raises ``ValueError`` if there are none yet."""
        if self._k is None or self._v is None:
            raise ValueError("the cache must hold at least one token, it is empty")
        return self._k.narrow(-2, 0, self.length), self._v.narrow(-2, 0, self.length)

    def reorder(self, rows: Int[Tensor, " N"]) -> None:
        """Keep these rows of the batch: beam search drops some hypotheses and duplicates others."""
        if self._k is None or self._v is None:
            return
        for name in ("_k", "_v"):
            old = getattr(self, name)
            held = old[rows, ..., : self.length, :]  # the unused memory is not copied
            if len(rows) != len(old):
                setattr(self, name, old.new_zeros(len(rows), *old.shape[1:]))
            getattr(self, name)[..., : self.length, :] = held
