"""ViT's checkpoints.

What one can trip over: a convolution whose stride is its width stores what is here one matrix on
the flattened patch; and the normalisations have an epsilon of 1e-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.layers import ACTIVATIONS
from tfcourse.models.vit import ViT, ViTConfig
from tfcourse.pretrained.family import (
    Family,
    Weight,
    activation,
    activation_name,
    affine,
    attention,
    must_be,
    need,
    norm,
)


class VisionTransformer(Family):
    """``ViTForImageClassification``. Of its dropouts ``hidden_dropout_prob`` becomes ours."""

    model_type = "vit"
    model = ViT
    # The names that transformers 5 gives the modules; files mostly keep the older ones.
    renamed = (
        (r"^vit\.layers\.", "vit.encoder.layer."),
        *(
            (rf"^(vit\.encoder\.layer\.\d+)\.{new}\.", rf"\1.{old}.")
            for new, old in (
                (r"attention\.q_proj", "attention.attention.query"),
                (r"attention\.k_proj", "attention.attention.key"),
                (r"attention\.v_proj", "attention.attention.value"),
                (r"attention\.o_proj", "attention.output.dense"),
                (r"mlp\.fc1", "intermediate.dense"),
                (r"mlp\.fc2", "output.dense"),
            )
        ),
    )

    def config(self, settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> ViTConfig:
        """Our config from ``config.json``, and the number of classes from what is stored."""
        must_be(settings, qkv_bias=True)
        classes = tensors.get("classifier.weight")
        if classes is None:
            raise ValueError("the checkpoint must hold a head, classifier.weight; it does not")
        return ViTConfig(
            classes=len(classes),
            image=_side(settings, "image_size"),
            patch=_side(settings, "patch_size"),
            channels=settings.get("num_channels", 3),
            num_layers=need(settings, "num_hidden_layers"),
            num_heads=need(settings, "num_attention_heads"),
            d_model=need(settings, "hidden_size"),
            d_ff=need(settings, "intermediate_size"),
            activation=activation(settings, "hidden_act", "gelu", ACTIVATIONS),
            eps=float(settings.get("layer_norm_eps", 1e-12)),
            dropout=float(settings.get("hidden_dropout_prob", 0.0)),
        )

    def settings(self, config: ViTConfig) -> dict[str, Any]:
        """``config.json`` from our config."""
        return {
            "architectures": ["ViTForImageClassification"],
            "num_labels": config.classes,
            "image_size": config.image,
            "patch_size": config.patch,
            "num_channels": config.channels,
            "num_hidden_layers": config.num_layers,
            "num_attention_heads": config.num_heads,
            "hidden_size": config.d_model,
            "intermediate_size": config.d_ff or 4 * config.d_model,
            "hidden_act": activation_name(config.activation),
            "layer_norm_eps": config.eps,
            "qkv_bias": True,
            "hidden_dropout_prob": config.dropout,
            "attention_probs_dropout_prob": config.dropout,
        }

    def weights(self, config: ViTConfig) -> list[Weight]:
        """Every tensor of a checkpoint."""
        D, patch = config.d_model, config.patch
        embeddings = "vit.embeddings"
        projection = f"{embeddings}.patch_embeddings.projection"
        kernel = (D, config.channels, patch, patch)
        found = [
            Weight(f"{embeddings}.cls_token", ("c",), shape=(1, 1, D)),
            Weight(f"{embeddings}.position_embeddings", ("positions.P",),
                   shape=(1, config.patches + 1, D)),
            Weight(f"{projection}.weight", ("W_P",), transposed=True, shape=kernel),
            Weight(f"{projection}.bias", ("b_P",)),
        ]  # fmt: skip
        for i in range(config.num_layers):
            theirs, ours = f"vit.encoder.layer.{i}", f"blocks.{i}"
            names = {x: f"{theirs}.attention.attention.{n}"
                     for x, n in zip("QKV", ("query", "key", "value"), strict=True)}  # fmt: skip
            names["O"] = f"{theirs}.attention.output.dense"
            found += [
                *norm(f"{theirs}.layernorm_before", f"{ours}.attention_norm"),
                *attention(names, f"{ours}.attention"),
                *norm(f"{theirs}.layernorm_after", f"{ours}.ffn_norm"),
                *affine(f"{theirs}.intermediate.dense", f"{ours}.ffn.W_1", f"{ours}.ffn.b_1"),
                *affine(f"{theirs}.output.dense", f"{ours}.ffn.W_2", f"{ours}.ffn.b_2"),
            ]
        return [*found, *norm("vit.layernorm", "norm"), *affine("classifier", "W", "b")]


def _side(settings: Mapping[str, Any], name: str) -> int:
    """The side of a square, which ``config.json`` may give twice."""
    given = need(settings, name)
    sides = set(given) if isinstance(given, list) else {given}
    if len(sides) != 1:
        raise ValueError(f"{name} in config.json must be square, got {given}")
    return sides.pop()
