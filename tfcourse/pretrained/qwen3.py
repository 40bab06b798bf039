"""Qwen3's checkpoints: Llama's form, with normalised queries and keys.

Pitfall: the gains of these norms are as wide as one head, and all heads of a layer share them.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from tfcourse.models.gpt import GPTConfig
from tfcourse.pretrained.llama import Llama
from tfcourse.pretrained.settings import CheckpointConfig


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

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> GPTConfig:
        """Our config, from ``config.json``."""
        kinds = settings.entries.get("layer_types")
        alone = isinstance(kinds, list) and all(kind == "full_attention" for kind in kinds)
        if kinds is not None and not alone:
            settings.refuse("layer_types", "a list of 'full_attention' alone")
        return super().config(settings, tensors)
