"""StableLM's checkpoints: Llama's form, with layer normalisation and partial rotary positions.

Pitfall: by default only the first quarter of each head's coordinates is rotated.
"""

from __future__ import annotations

from tfcourse.models.gpt import GPTConfig
from tfcourse.pretrained.family import Weight, norm
from tfcourse.pretrained.llama import Llama


class StableLM(Llama):
    """``StableLmForCausalLM`` without biases, without norms of single heads, one part at a time."""

    model_type = "stablelm"
    architecture = "StableLmForCausalLM"
    fixed = {**Llama.fixed, "norm": "layer"}
    required = {
        "hidden_act": "silu", "use_qkv_bias": False, "qk_layernorm": False,
        "use_parallel_residual": False,
    }  # fmt: skip
    optional = {
        "context_length": ("max_position_embeddings", 4096), "eps": ("layer_norm_eps", 1e-5),
        "tied": ("tie_word_embeddings", False),
    }  # fmt: skip
    rotary_fraction = 0.25

    def differs(self, config: GPTConfig) -> list[str]:
        """The settings of our config that the architecture does not support."""
        why = super().differs(config)
        if config.d_k not in (None, config.d_model / config.num_heads):
            why.append("d_k must be d_model / num_heads")
        return why

    def norm(self, theirs: str, ours: str) -> list[Weight]:
        """A layer normalisation."""
        return norm(theirs, ours)
