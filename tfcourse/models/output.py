"""What every model returns."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


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
