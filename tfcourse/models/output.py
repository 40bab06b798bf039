"""What every model gives back."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Output(NamedTuple):
    """Logits, and where they are asked for the attention maps.

    Attributes
    ----------
    logits:
        Scores before the softmax, ``(..., V)`` or ``(..., classes)``.
    maps:
        ``None`` unless asked for. Else one map ``(B, H, T, S)`` a layer, under ``"self"`` in a
        model with one stack, under ``"encoder"``, ``"decoder"`` and ``"cross"`` in an
        encoder-decoder.
    """

    logits: Tensor
    maps: dict[str, list[Tensor]] | None = None
