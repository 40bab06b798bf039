"""ViT's checkpoints.

Pitfalls: the patch embedding, one matrix on the flattened patch here, is stored as a convolution
whose stride is its width; and the normalisations have an epsilon of 1e-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.models.vit import ViT, ViTConfig
from tfcourse.pretrained.family import (
    ACTIVATION_NAMES,
    STACK,
    Family,
    Weight,
    activation_name,
    affine,
    encoder_block,
    norm,
)
from tfcourse.pretrained.settings import CheckpointConfig


class VisionTransformer(Family):
    """``ViTForImageClassification``. Of its dropouts, ``hidden_dropout_prob`` becomes ours."""

    model_type = "vit"
    model = ViT
    configured = ViTConfig
    needed = STACK
    optional = {
        "channels": ("num_channels", 3), "eps": ("layer_norm_eps", 1e-12),
        "dropout": ("hidden_dropout_prob", 0.0),
    }  # fmt: skip
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

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> ViTConfig:
        """Our config, from ``config.json`` and, for the classes, the stored tensors."""
        settings.must_be(qkv_bias=True)
        classes = tensors.get("classifier.weight")
        if classes is None:
            raise ValueError("the checkpoint must hold a head, classifier.weight; it does not")
        return ViTConfig(
            **self.read(settings),
            classes=len(classes),
            image=_side(settings, "image_size"),
            patch=_side(settings, "patch_size"),
            activation=settings.named("hidden_act", ACTIVATION_NAMES, "gelu"),
        )

    def settings(self, config: ViTConfig) -> dict[str, Any]:
        """``config.json``, from our config."""
        return self.written(config) | {
            "architectures": ["ViTForImageClassification"],
            "num_labels": config.classes,
            "image_size": config.image,
            "patch_size": config.patch,
            "intermediate_size": config.d_ff or 4 * config.d_model,
            "hidden_act": activation_name(config.activation),
            "qkv_bias": True,
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
            norms = "layernorm_before", "layernorm_after"
            found += encoder_block(theirs, ours, "attention", norms)
        return [*found, *norm("vit.layernorm", "norm"), *affine("classifier", "W", "b")]


def _side(settings: CheckpointConfig, name: str) -> int:
    """The side of a square, which ``config.json`` may give twice."""
    given = settings.entries.get(name)
    if isinstance(given, list):
        if not given or any(side != given[0] for side in given):
            settings.refuse(name, "square")
        settings = CheckpointConfig({name: given[0]})
    return settings.typed(name, "int")
