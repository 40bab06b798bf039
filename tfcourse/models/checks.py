"""What every model checks of its sizes and of the ids it is given."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Bool
from torch import Tensor, nn

from tfcourse.arguments import at_least_one, axes
from tfcourse.attention import KeyValueCache, padding_mask


def sizes(**given: int | None) -> None:
    """Refuse a size below 1; ``None`` stands for a size that follows from others."""
    at_least_one(**{name: size for name, size in given.items() if size is not None})


def divides(num_heads: int, d_model: int) -> None:
    """Refuse a width that does not fall into equal heads."""
    if d_model % num_heads:
        raise ValueError(f"d_model must be divisible by num_heads={num_heads}, got {d_model}")


def look_up(table: nn.Embedding, ids: Tensor, name: str, letters: str = "B T") -> Tensor:
    """The rows of ``table`` for these ids, whose axes are ``letters``.

    Raises
    ------
    ValueError
        If the ids have other axes or are not integers, or an id has no row; on a GPU CUDA stops
        with an assertion of its own instead of the last.
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
    """Which of the tokens ``(B, S, ...)`` are real and not padding; ``None`` if all are.

    Raises
    ------
    ValueError
        If there is not one possible length for each sequence.
    """
    if lengths is None:
        return None
    if lengths.shape != x.shape[:1]:
        raise ValueError(f"{name} must be ({x.shape[0]},), got {tuple(lengths.shape)}")
    return padding_mask(lengths, x.shape[1])


def held(caches: Sequence[KeyValueCache] | None, num_layers: int, name: str = "caches") -> int:
    """How many tokens the caches of a stack hold.

    Raises
    ------
    ValueError
        If there is not one cache for each layer, or they hold different numbers of tokens.
    """
    if caches is None:
        return 0
    lengths = [cache.length for cache in caches]
    if len(lengths) != num_layers or any(length != lengths[0] for length in lengths):
        raise ValueError(
            f"{name} must be one for each of the {num_layers} layers, all of one length, "
            f"got lengths {lengths}"
        )
    return lengths[0]
