"""What the models share: checks of sizes and ids, and the pass through a stack of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from tfcourse.arguments import (
    at_least_one,
    axes,
    check_integers,
    check_numbers,
    check_probability,
    check_tensors,
    one_of,
)
from tfcourse.attention import KeyValueCache, MultiHeadAttention, draw_into, padding_mask
from tfcourse.layers import ACTIVATIONS, Block, FeedForward

#: Integers in a config that may be 0: an id, and a number of queries.
MAY_BE_ZERO = ("padding", "queries")


@dataclass(frozen=True)
class Config:
    """The checks that every model's config shares; each config adds its own."""

    def __post_init__(self) -> None:
        given = vars(self)
        for name, kind in get_type_hints(type(self)).items():
            kinds, value = get_args(kind) or (kind,), given[name]
            if value is None and NoneType in kinds:
                continue
            if int in kinds and name in MAY_BE_ZERO:
                check_integers(**{name: value})
            elif int in kinds:
                at_least_one(**{name: value})
            elif float in kinds:
                check_numbers(**{name: value})
            elif bool in kinds:
                one_of((False, True), **{name: value})
        if "num_heads" in given and given.get("d_k") is None:
            num_heads, d_model = given["num_heads"], given["d_model"]
            if d_model % num_heads:
                raise ValueError(
                    f"d_model must be divisible by num_heads={num_heads}, got {d_model}"
                )
        if "activation" in given:
            one_of(ACTIVATIONS, activation=given["activation"])
        check_probability(**{n: p for n, p in given.items() if n.endswith("dropout")})

    def check_padding(self, vocab_size: int) -> None:
        """Raise ``ValueError`` if the field ``padding`` is not an id of the vocabulary."""
        padding = getattr(self, "padding", None)
        if padding is not None and not 0 <= padding < vocab_size:
            raise ValueError(f"padding must lie between 0 and {vocab_size - 1}, got {padding}")


class Output(NamedTuple):
    """Logits and, if requested, the attention maps and the hidden states.

    Attributes
    ----------
    logits:
        Scores before the softmax, ``(..., V)`` or ``(..., classes)``.
    maps:
        ``None`` unless requested. Otherwise one map ``(B, H, T, S)`` per layer, under ``"self"`` in
        a model with one stack, under ``"encoder"``, ``"decoder"`` and ``"cross"`` in an
        encoder-decoder.
    states:
        ``None`` unless requested. Otherwise the hidden states ``(B, T, D)``: the input of the first
        block, then the output of each, before any normalisation at the end of the stack; under
        ``"self"``, or ``"encoder"`` and ``"decoder"``.
    """

    logits: Tensor
    maps: dict[str, list[Tensor]] | None = None
    states: dict[str, list[Tensor]] | None = None

    @classmethod
    def of(
        cls,
        logits: Tensor,
        maps: dict[str, list[Tensor]],
        states: dict[str, list[Tensor]],
    ) -> Output:
        """An output whose maps and states are ``None`` if none were collected."""
        return cls(
            logits,
            maps if any(maps.values()) else None,
            states if any(states.values()) else None,
        )


class Model(nn.Module):
    """Base class of every model, built from a ``config`` alone."""

    config: Any

    def drop(self, x: Tensor) -> Tensor:
        """The config's dropout, in training."""
        return F.dropout(x, self.config.dropout) if self.training else x


def draw_matrices(module: nn.Module, draw: Callable[[Tensor], Tensor]) -> None:
    """Reinitialise every matrix in ``module``, with W_Q, W_K and W_V as three matrices.

    ``draw`` fills the matrix it is given, as :func:`torch.nn.init.xavier_uniform_` does. Parameters
    with one axis or none are left alone.
    """
    for part in module.modules():
        found: Iterable[Tensor] = part.parameters(recurse=False)
        if isinstance(part, MultiHeadAttention):
            found = (part.W_Q, part.W_K, part.W_V, part.W_O)
        for W in found:
            if W.dim() > 1:
                draw_into(W, draw)


def encoder_blocks(config: Any, norm: Literal["pre", "post"]) -> nn.ModuleList:
    """The blocks of an encoder with its config's sizes and one dropout probability throughout."""
    D, dropout = config.d_model, config.dropout
    return nn.ModuleList(
        Block(
            MultiHeadAttention(D, config.num_heads, dropout=dropout),
            FeedForward(D, config.d_ff, config.activation),
            norm, eps=config.eps, dropout=dropout,
        )
        for _ in range(config.num_layers)
    )  # fmt: skip


def through(
    blocks: Iterable[nn.Module],
    x: Float[Tensor, "B T D"],
    mask: Bool[Tensor, "B #T T"] | None = None,
    *,
    causal: bool = False,
    return_weights: bool = False,
    return_states: bool = False,
) -> tuple[Float[Tensor, "B T D"], list[Tensor], list[Tensor]]:
    """Run tokens through blocks; return them, each block's map, and the states between blocks.

    The lists are empty unless requested. Maps take the explicit path through attention.
    """
    seen: list[Tensor] = []
    passed = [x] if return_states else []
    for block in blocks:
        x, (weights,) = block(x, mask, causal=causal, fused=not return_weights)
        if weights is not None:
            seen.append(weights)  # (B, H, T, T)
        if return_states:
            passed.append(x)  # (B, T, D)
    return x, seen, passed


def look_up(table: nn.Embedding, ids: Tensor, name: str, letters: str = "B T") -> Tensor:
    """The rows of ``table`` for these ids, whose axes are ``letters``.

    Raises ``ValueError`` for ids with other axes, that are not integers, or that have no row; on a
    GPU, the last fails with CUDA's own assertion.
    """
    axes(name, ids, letters)
    if ids.is_floating_point():
        raise ValueError(f"{name} must be integers, got {ids.dtype}")
    try:
        return table(ids)
    except IndexError:
        raise ValueError(
            f"{name} must lie between 0 and {table.num_embeddings - 1}, "
            f"got {int(ids.min())} to {int(ids.max())}"
        ) from None


def real(lengths: Tensor | None, x: Tensor, name: str = "lengths") -> Bool[Tensor, "B 1 S"] | None:
    """Mask of the tokens ``(B, S, ...)`` that are real, not padding; ``None`` if all are."""
    if lengths is None:
        return None
    check_tensors(**{name: lengths})
    if lengths.shape != x.shape[:1]:
        raise ValueError(f"{name} must be ({x.shape[0]},), got {tuple(lengths.shape)}")
    return padding_mask(lengths, x.shape[1])


def held(caches: Sequence[KeyValueCache] | None, num_layers: int, name: str = "caches") -> int:
    """How many tokens the caches of a stack hold: one cache per layer, all of one length."""
    if caches is None:
        return 0
    lengths = [cache.length for cache in caches]
    if len(lengths) != num_layers or lengths != lengths[:1] * num_layers:
        raise ValueError(
            f"{name} must be one for each of the {num_layers} layers, all of one length, "
            f"got lengths {lengths}"
        )
    return lengths[0]
