"""Marian's checkpoints: translation models for many language pairs.

Marian rather than BART represents the encoder-decoder, because it is the model of 2017 itself:
post-norm without a final normalisation, sinusoidal positions, embeddings scaled by ``sqrt(d)`` and
shared three ways. BART has learned positions that begin at 2 and a normalisation of the embeddings,
which no lecture covers.

Pitfalls: all sines come before all cosines; a bias is added to the logits; and ``transformers``
rounds the positions to float32 even in a float64 model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from tfcourse.models.transformer import SinusoidalHalves, Transformer, TransformerConfig
from tfcourse.pretrained.family import (
    ACTIVATION_NAMES,
    Family,
    Weight,
    activation_name,
    affine,
    attention,
    norm,
)
from tfcourse.pretrained.settings import CheckpointConfig

BIAS = "final_logits_bias"


class Marian(Family):
    """``MarianMTModel``. Its ``final_logits_bias`` is a trainable parameter here."""

    model_type = "marian"
    model = Transformer
    configured = TransformerConfig
    needed = {
        "vocab_size": "vocab_size", "context_length": "max_position_embeddings",
        "num_encoder_layers": "encoder_layers", "num_decoder_layers": "decoder_layers",
        "num_heads": "encoder_attention_heads", "d_model": "d_model", "d_ff": "encoder_ffn_dim",
    }  # fmt: skip
    optional = {
        "shared": ("share_encoder_decoder_embeddings", True),
        "tied": ("tie_word_embeddings", True), "scale_embeddings": ("scale_embedding", False),
        "dropout": ("dropout", 0.1), "attention_dropout": ("attention_dropout", 0.0),
        "padding": ("pad_token_id", None),
    }  # fmt: skip

    def config(
        self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]
    ) -> TransformerConfig:
        """Our config, from ``config.json`` and, for the bias, the stored tensors."""
        found = self.read(settings)
        settings.must_be(decoder_attention_heads=found["num_heads"], decoder_ffn_dim=found["d_ff"])
        if found["shared"] and not found["tied"]:
            raise ValueError(
                "tie_word_embeddings in config.json must be True if "
                "share_encoder_decoder_embeddings is, got False"
            )
        target = settings.typed("decoder_vocab_size", "int", found["vocab_size"])
        return TransformerConfig(
            **found,
            target_vocab_size=None if found["shared"] else target,
            positions="sinusoidal_halves",
            output_bias=BIAS in tensors,
            activation=settings.named("activation_function", ACTIVATION_NAMES, "gelu"),
        )

    def settings(self, config: TransformerConfig) -> dict[str, Any]:
        """``config.json``, from our config."""
        d_ff = config.d_ff or 4 * config.d_model
        return self.written(config) | {
            "architectures": ["MarianMTModel"],
            "decoder_vocab_size": config.writes,
            "activation_function": activation_name(config.activation),
            "decoder_attention_heads": config.num_heads,
            "encoder_ffn_dim": d_ff,
            "decoder_ffn_dim": d_ff,
        }

    def differs(self, config: TransformerConfig) -> list[str]:
        """The settings of our config that Marian does not support."""
        fixed = {
            "norm": "post", "ends_in_norm": False, "positions": "sinusoidal_halves", "eps": 1e-5,
        }  # fmt: skip
        why = [f"{n} must be {v!r}" for n, v in fixed.items() if getattr(config, n) != v]
        if config.shared and not config.tied:
            why.append("tied must be True if shared is")
        return why

    def copies(self, config: TransformerConfig) -> dict[str, str]:
        """Shared embeddings may be stored twice."""
        if config.shared:
            also = ("lm_head", "model.encoder.embed_tokens", "model.decoder.embed_tokens")
            return {f"{name}.weight": "model.shared.weight" for name in also}
        tied = {"lm_head.weight": "model.decoder.embed_tokens.weight"}
        return tied if config.tied else {}

    def tables(self, config: TransformerConfig) -> dict[str, Tensor]:
        """The sinusoids may be stored."""
        places = torch.arange(config.context_length)
        table = SinusoidalHalves(config.d_model).table(places, torch.float64)
        return {f"model.{side}.embed_positions.weight": table for side in ("encoder", "decoder")}

    def weights(self, config: TransformerConfig) -> list[Weight]:
        """Every tensor of a checkpoint."""
        if config.shared:
            found = [Weight("model.shared.weight", ("source_embedding.weight",))]
        else:
            found = [
                Weight("model.encoder.embed_tokens.weight", ("source_embedding.weight",)),
                Weight("model.decoder.embed_tokens.weight", ("target_embedding.weight",)),
            ]
        for side, num_layers in (
            ("encoder", config.num_encoder_layers),
            ("decoder", config.num_decoder_layers),
        ):
            for i in range(num_layers):
                found += _block(f"model.{side}.layers.{i}", f"{side}.{i}", side == "decoder")
        if not config.tied:
            found += affine("lm_head", "W_U")
        if config.output_bias:
            found.append(Weight(BIAS, ("b_U",), shape=(1, config.writes)))
        return found


def _block(theirs: str, ours: str, cross: bool) -> list[Weight]:
    def projections(part: str) -> dict[str, str]:
        names = {"Q": "q_proj", "K": "k_proj", "V": "v_proj", "O": "out_proj"}
        return {x: f"{theirs}.{part}.{name}" for x, name in names.items()}

    found = [
        *attention(projections("self_attn"), f"{ours}.attention"),
        *norm(f"{theirs}.self_attn_layer_norm", f"{ours}.attention_norm"),
        *affine(f"{theirs}.fc1", f"{ours}.ffn.W_1", f"{ours}.ffn.b_1"),
        *affine(f"{theirs}.fc2", f"{ours}.ffn.W_2", f"{ours}.ffn.b_2"),
        *norm(f"{theirs}.final_layer_norm", f"{ours}.ffn_norm"),
    ]
    if cross:
        found += attention(projections("encoder_attn"), f"{ours}.cross")
        found += norm(f"{theirs}.encoder_attn_layer_norm", f"{ours}.cross_norm")
    return found
