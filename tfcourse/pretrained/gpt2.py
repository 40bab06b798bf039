"""GPT-2's checkpoints.

Pitfalls: its layers store ``(in, out)``, as we do and unlike ``nn.Linear``; queries, keys and
values are side by side in one matrix; and its GELU is the tanh approximation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.pretrained.family import (
    ACTIVATION_NAMES,
    Family,
    Weight,
    activation_name,
    affine,
    norm,
)
from tfcourse.pretrained.settings import CheckpointConfig


class GPT2(Family):
    """``GPT2LMHeadModel``. Of its three dropouts, ``resid_pdrop`` becomes ours."""

    model_type = "gpt2"
    model = GPT
    configured = GPTConfig
    needed = {
        "vocab_size": "vocab_size", "context_length": "n_positions", "num_layers": "n_layer",
        "num_heads": "n_head", "d_model": "n_embd",
    }  # fmt: skip
    optional = {
        "d_ff": ("n_inner", None), "eps": ("layer_norm_epsilon", 1e-5),
        "tied": ("tie_word_embeddings", True), "dropout": ("resid_pdrop", 0.1),
    }  # fmt: skip
    renamed = ((r"^(wte|wpe|h|ln_f)\.", r"transformer.\1."),)  # as OpenAI's own weights are stored
    constant = r"\.attn\.(masked_)?bias$"  # the causal mask, which older versions stored

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> GPTConfig:
        """Our config, from ``config.json``."""
        settings.must_be(scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False,
                         add_cross_attention=False)  # fmt: skip
        ffn = settings.named("activation_function", ACTIVATION_NAMES, "gelu_new")
        return GPTConfig(**self.read(settings), ffn=ffn)

    def settings(self, config: GPTConfig) -> dict[str, Any]:
        """``config.json``, from our config."""
        return self.written(config) | {
            "architectures": ["GPT2LMHeadModel"],
            "activation_function": activation_name(config.ffn),
            "embd_pdrop": config.dropout,
            "attn_pdrop": config.dropout,
        }

    def differs(self, config: GPTConfig) -> list[str]:
        """The settings of our config that GPT-2 does not support."""
        fixed = {
            "positions": "learned", "norm": "layer", "bias": True, "scale_embeddings": False,
            "window": None, "qk_norm": False,
        }  # fmt: skip
        why = [f"{n} must be {v!r}" for n, v in fixed.items() if getattr(config, n) != v]
        if config.ffn == "swiglu":
            why.append("ffn must not be 'swiglu'")
        if config.num_kv_heads not in (None, config.num_heads):
            why.append("num_kv_heads must be num_heads")
        if config.d_k not in (None, config.d_model / config.num_heads):
            why.append("d_k must be d_model / num_heads")
        return why

    def copies(self, config: GPTConfig) -> dict[str, str]:
        """A tied head may be stored twice."""
        return {"lm_head.weight": "transformer.wte.weight"} if config.tied else {}

    def weights(self, config: GPTConfig) -> list[Weight]:
        """Every tensor of a checkpoint."""
        found = [
            Weight("transformer.wte.weight", ("embedding.weight",)),
            Weight("transformer.wpe.weight", ("positions.P",)),
            *norm("transformer.ln_f", "norm"),
        ]
        for i in range(config.num_layers):
            theirs, ours = f"transformer.h.{i}", f"blocks.{i}"
            found += [
                *norm(f"{theirs}.ln_1", f"{ours}.attention_norm"),
                *norm(f"{theirs}.ln_2", f"{ours}.ffn_norm"),
            ]
            for part, of, (W, b) in (
                ("attn.c_attn", "attention", ("W_QKV", "b_QKV")),
                ("attn.c_proj", "attention", ("W_O", "b_O")),
                ("mlp.c_fc", "ffn", ("W_1", "b_1")),
                ("mlp.c_proj", "ffn", ("W_2", "b_2")),
            ):
                name = f"{ours}.{of}"
                found += affine(f"{theirs}.{part}", f"{name}.{W}", f"{name}.{b}", transposed=False)
        return found if config.tied else [*found, *affine("lm_head", "W_U")]
