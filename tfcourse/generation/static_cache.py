"""One step of a GPT whose shapes never change, so that it is compiled into a single graph."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from tfcourse.attention import KeyValueCache
from tfcourse.models.gpt import GPT, GPTConfig

#: Position schemes that add nothing to the scores: a bias would depend on the number of keys.
POSITIONS = ("learned", "sinusoidal", "rotary_interleaved", "rotary_halves", "none")


#: A step attends to a multiple of this many positions. On a GPU each multiple is a CUDA graph of
#: its own, so there are few; on a CPU one graph serves all of them, and reading costs more.
BLOCKS = {"cuda": 256, "cpu": 16}


class StaticCache(KeyValueCache):
    """The first positions of a :class:`KeyValueCache`, filled or not: as many as its mask has.

    The next token is written at ``position``, a tensor ``(1,)``, and ``mask`` must hide the
    positions after it. So neither a shape nor a Python number changes from token to token until
    :class:`StaticStep` sets a longer mask. The two caches share their memory: each step must also
    be counted in the other one.
    """

    mask: Bool[Tensor, "1 S"]

    def __init__(self, cache: KeyValueCache, position: Int[Tensor, "1"]) -> None:
        if cache._k is None or cache._v is None:
            raise ValueError("cache must hold at least one token, it is empty")
        # Never the whole memory, which has one position more: its strides are others.
        self.max_length = cache.max_length
        self.position, self._k, self._v = position, cache._k, cache._v
        for tensor in (self._k, self._v):
            torch._dynamo.mark_static_address(tensor)  # a CUDA graph writes where it was recorded

    @property
    def length(self) -> int:  # type: ignore[override]
        """The number of positions, read from the mask, so that a graph knows them to be equal."""
        return self.mask.shape[-1]

    def append(
        self, k: Float[Tensor, "B G 1 K"], v: Float[Tensor, "B G 1 Dv"]
    ) -> tuple[Float[Tensor, "B G S K"], Float[Tensor, "B G S Dv"]]:
        """Write the key and value of one token, and return those of ``length`` positions."""
        assert self._k is not None and self._v is not None
        self._k.index_copy_(-2, self.position, k)
        self._v.index_copy_(-2, self.position, v)
        return self.held()


class StaticStep:
    """Reads one token after those that the caches hold, in shapes that rarely change.

    All positions up to the next multiple of a block are attended to, those not yet filled under a
    mask: reading the whole memory for each token would take twice as long on average.
    """

    def __init__(self, model: GPT, caches: Sequence[KeyValueCache], device: torch.device) -> None:
        self.model, self.growing = model, caches
        self.position = torch.full((1,), caches[0].length, device=device)
        self.caches = [StaticCache(cache, self.position) for cache in caches]
        self.places = torch.arange(self.caches[0].max_length, device=device)
        self.block = BLOCKS.get(device.type, max(BLOCKS.values()))

    def read(self, tokens: Int[Tensor, "B 1"]) -> Float[Tensor, "B V"]:
        """The logits of the token after this one."""
        B, held, most = len(tokens), self.growing[0].length, self.growing[0].max_length
        if held == most:
            raise ValueError(f"the caches are full, with {held} tokens")
        stop = min((held // self.block + 1) * self.block, most)
        mask = (self.places[:stop] <= self.position)[None]  # one for all rows
        for cache in self.caches:
            cache.mask = mask
        output = self.model(
            tokens, caches=self.caches, mask=mask, position_ids=self.position.expand(B, 1)
        )
        self.position += 1
        for growing in self.growing:
            growing.length += 1
        return output.logits[:, -1]


def check_static(model: object) -> None:
    """Raise ``ValueError`` for a model whose step cannot have fixed shapes."""
    config = getattr(model, "config", None)
    if not isinstance(config, GPTConfig):
        raise ValueError(f'cached must not be "static" for a {type(model).__name__}')
    if config.positions not in POSITIONS or config.window is not None:
        raise ValueError(
            f'cached must not be "static" for a GPT with positions="{config.positions}" and '
            f"window={config.window}, only without a window and for {POSITIONS}"
        )
