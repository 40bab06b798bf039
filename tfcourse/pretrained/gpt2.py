"""GPT-2's checkpoints.

What one can trip over: its layers store ``(in, out)``, as we do and unlike ``nn.Linear``; queries,
keys and values lie side by side in one matrix; and its GELU is the one by tanh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.layers import ACTIVATIONS
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.pretrained.family import (
    Family,
    Weight,
    activation,
    activation_name,
    affine,
    must_be,
    need,
    norm,
)


class GPT2(Family):
    """``GPT2LMHeadModel``. Of its three dropouts ``resid_pdrop`` becomes ours."""

    model_type = "gpt2"
    model = GPT
    renamed = ((r"^(wte|wpe|h|ln_f)\.", r"transformer.\1."),)  # as OpenAI's own weights are stored
    constant = r"\.attn\.(masked_)?bias$"  # the causal mask, which older versions stored

    def config(self, settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> GPTConfig:
        """Our config from ``config.json``."""
        must_be(
            settings, scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False,
            add_cross_attention=False,
        )  # fmt: skip
        return GPTConfig(
            vocab_size=need(settings, "vocab_size"),
            context_length=need(settings, "n_positions"),
            num_layers=need(settings, "n_layer"),
            num_heads=need(settings, "n_head"),
            d_model=need(settings, "n_embd"),
            d_ff=settings.get("n_inner"),
            ffn=activation(settings, "activation_function", "gelu_new", ACTIVATIONS),
            eps=float(settings.get("layer_norm_epsilon", 1e-5)),
            tied=settings.get("tie_word_embeddings", True),
            dropout=float(settings.get("resid_pdrop", 0.1)),
        )

    def settings(self, config: GPTConfig) -> dict[str, Any]:
        """``config.json`` from our config."""
        return {
            "architectures": ["GPT2LMHeadModel"],
            "vocab_size": config.vocab_size,
            "n_positions": config.context_length,
            "n_layer": config.num_layers,
            "n_head": config.num_heads,
            "n_embd": config.d_model,
            "n_inner": config.d_ff,
            "activation_function": activation_name(config.ffn),
            "layer_norm_epsilon": config.eps,
            "tie_word_embeddings": config.tied,
            **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), config.dropout),
        }

    def differs(self, config: GPTConfig) -> list[str]:
        """What of our config GPT-2 has no place for."""
        fixed = {
            "positions": "learned", "norm": "layer", "bias": True, "scale_embeddings": False,
            "window": None,
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
        """A tied head may be stored again."""
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
                Weight(f"{theirs}.attn.c_attn.weight", (f"{ours}.attention.W_QKV",)),
                Weight(f"{theirs}.attn.c_attn.bias", (f"{ours}.attention.b_QKV",)),
                Weight(f"{theirs}.attn.c_proj.weight", (f"{ours}.attention.W_O",)),
                Weight(f"{theirs}.attn.c_proj.bias", (f"{ours}.attention.b_O",)),
                *norm(f"{theirs}.ln_2", f"{ours}.ffn_norm"),
                Weight(f"{theirs}.mlp.c_fc.weight", (f"{ours}.ffn.W_1",)),
                Weight(f"{theirs}.mlp.c_fc.bias", (f"{ours}.ffn.b_1",)),
                Weight(f"{theirs}.mlp.c_proj.weight", (f"{ours}.ffn.W_2",)),
                Weight(f"{theirs}.mlp.c_proj.bias", (f"{ours}.ffn.b_2",)),
            ]
        return found if config.tied else [*found, *affine("lm_head", "W_U")]
