"""Qwen3's checkpoints: Llama's form, with normalised queries and keys.

Pitfall: the gains of these norms are as wide as one head, and all heads of a layer share them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.models.gpt import GPTConfig
from tfcourse.pretrained.llama import Llama


class Qwen3(Llama):
    """``Qwen3ForCausalLM`` without biases, in which every layer attends to all earlier tokens."""

    model_type = "qwen3"
    architecture = "Qwen3ForCausalLM"
    fixed = {**Llama.fixed, "qk_norm": True}
    required = {"hidden_act": "silu", "attention_bias": False, "use_sliding_window": False}
    optional = {
        **Llama.optional,
        "context_length": ("max_position_embeddings", 32_768), "d_k": ("head_dim", 128),
    }  # fmt: skip

    def config(self, settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> GPTConfig:
        """Our config, from ``config.json``."""
        kinds = settings.get("layer_types") or []
        if any(kind != "full_attention" for kind in kinds):
            raise ValueError(
                f"layer_types in config.json must all be 'full_attention', got {kinds!r}"
            )
        return super().config(settings, tensors)
