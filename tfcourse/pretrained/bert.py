"""BERT's checkpoints, with the heads they contain, if any.

Pitfalls: its normalisations have an epsilon of 1e-12; its GELU is the exact one; and the
masked-word head shares its matrix with the embedding but has a bias of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from tfcourse.models.bert import BERT, BERTConfig
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
from tfcourse.wrapped import unwrapped

#: The heads of each class in ``transformers``.
ARCHITECTURES = {
    frozenset({"words"}): "BertForMaskedLM",
    frozenset({"words", "next"}): "BertForPreTraining",
    frozenset({"next"}): "BertForNextSentencePrediction",
    frozenset({"classes"}): "BertForSequenceClassification",
    frozenset(): "BertModel",
}
#: The tensor that shows that a head is present.
KNOWN_BY = {
    "words": "cls.predictions.transform.dense.weight",
    "next": "cls.seq_relationship.weight",
    "classes": "classifier.weight",
}


class Bert(Family):
    """The classes of :data:`ARCHITECTURES`; ``hidden_dropout_prob`` becomes our dropout."""

    model_type = "bert"
    model = BERT
    configured = BERTConfig
    needed = {
        "vocab_size": "vocab_size", "context_length": "max_position_embeddings", **STACK,
    }  # fmt: skip
    optional = {
        "segments": ("type_vocab_size", 2), "eps": ("layer_norm_eps", 1e-12),
        "dropout": ("hidden_dropout_prob", 0.1), "padding": ("pad_token_id", 0),
    }  # fmt: skip
    renamed = (
        (r"LayerNorm\.gamma$", "LayerNorm.weight"),
        (r"LayerNorm\.beta$", "LayerNorm.bias"),
        (r"^(embeddings|encoder|pooler)\.", r"bert.\1."),  # as an encoder without a head is stored
    )
    constant = r"^bert\.embeddings\.position_ids$"

    def config(self, settings: CheckpointConfig, tensors: Mapping[str, Tensor]) -> BERTConfig:
        """Our config, from ``config.json`` and the stored heads."""
        settings.must_be(is_decoder=False, add_cross_attention=False,
                         position_embedding_type="absolute", tie_word_embeddings=True)  # fmt: skip
        predicts = tuple(head for head, name in KNOWN_BY.items() if name in tensors)
        classes = len(tensors["classifier.weight"]) if "classes" in predicts else 2
        return BERTConfig(
            **self.read(settings), predicts=predicts, classes=classes,
            pooler="bert.pooler.dense.weight" in tensors,
            activation=settings.named("hidden_act", ACTIVATION_NAMES, "gelu"),
        )  # fmt: skip

    def settings(self, config: BERTConfig) -> dict[str, Any]:
        """``config.json``, from our config."""
        found = self.written(config) | {
            "architectures": [ARCHITECTURES[frozenset(config.predicts)]],
            "intermediate_size": config.d_ff or 4 * config.d_model,
            "hidden_act": activation_name(config.activation),
            "attention_probs_dropout_prob": config.dropout,
        }
        if "classes" in config.predicts:
            found["num_labels"] = config.classes
        return found

    def differs(self, config: BERTConfig) -> list[str]:
        """The settings of our config that BERT's classes do not support."""
        why = ["causal must be False"] if config.causal else []
        why += ['pooled must be "cls"'] if config.pooled != "cls" else []
        if frozenset(config.predicts) not in ARCHITECTURES:
            known = [sorted(heads) for heads in ARCHITECTURES]
            why.append(f"predicts must be one of {known}")
        if config.pooler and config.predicts == ("words",):
            why.append('pooler must be False if predicts is ("words",)')
        return why

    def export(self, model: nn.Module) -> dict[str, Tensor]:
        """The tensors of a checkpoint; an encoder without a head has no prefix."""
        found = super().export(model)
        config: Any = unwrapped(model).config
        if config.predicts:
            return found
        return {name.removeprefix("bert."): t for name, t in found.items()}

    def copies(self, config: BERTConfig) -> dict[str, str]:
        """The masked-word head's matrix and bias may be stored twice."""
        if "words" not in config.predicts:
            return {}
        return {
            "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        }

    def weights(self, config: BERTConfig) -> list[Weight]:
        """Every tensor of a checkpoint."""
        embeddings = "bert.embeddings"
        found = [
            Weight(f"{embeddings}.word_embeddings.weight", ("embedding.weight",)),
            Weight(f"{embeddings}.position_embeddings.weight", ("positions.P",)),
            Weight(f"{embeddings}.token_type_embeddings.weight", ("segments.weight",)),
            *norm(f"{embeddings}.LayerNorm", "embedding_norm"),
        ]
        for i in range(config.num_layers):
            theirs, ours = f"bert.encoder.layer.{i}", f"blocks.{i}"
            norms = "attention.output.LayerNorm", "output.LayerNorm"
            found += encoder_block(theirs, ours, "self", norms)
        if "words" in config.predicts:
            transform = "cls.predictions.transform"
            found += [
                Weight("cls.predictions.bias", ("words.b_V",)),
                *affine(f"{transform}.dense", "words.transform.W", "words.transform.b"),
                *norm(f"{transform}.LayerNorm", "words.norm"),
            ]
        if config.pools:
            found += affine("bert.pooler.dense", "pooler.W", "pooler.b")
        if "next" in config.predicts:
            found += affine("cls.seq_relationship", "next.W", "next.b")
        if "classes" in config.predicts:
            found += affine("classifier", "classes.W", "classes.b")
        return found
