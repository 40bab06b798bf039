"""BERT's checkpoints, with the heads that they hold.

What one can trip over: its normalisations have an epsilon of 1e-12; its GELU is the exact one; and
the masked-word head shares its matrix with the embedding but has a vector of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tfcourse.layers import ACTIVATIONS
from tfcourse.models.bert import BERT, BERTConfig
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

#: Which heads each class of transformers has.
ARCHITECTURES = {
    frozenset({"words"}): "BertForMaskedLM",
    frozenset({"words", "next"}): "BertForPreTraining",
    frozenset({"next"}): "BertForNextSentencePrediction",
    frozenset({"classes"}): "BertForSequenceClassification",
}
#: By which tensor a head is known to be there.
KNOWN_BY = {
    "words": "cls.predictions.transform.dense.weight",
    "next": "cls.seq_relationship.weight",
    "classes": "classifier.weight",
}


class Bert(Family):
    """The classes of :data:`ARCHITECTURES`; of their dropouts ``hidden_dropout_prob`` is ours."""

    model_type = "bert"
    model = BERT
    renamed = ((r"LayerNorm\.gamma$", "LayerNorm.weight"), (r"LayerNorm\.beta$", "LayerNorm.bias"))
    constant = r"^bert\.embeddings\.position_ids$"

    def config(self, settings: dict[str, Any], tensors: Mapping[str, Tensor]) -> BERTConfig:
        """Our config from ``config.json`` and from the heads that are stored."""
        must_be(
            settings, is_decoder=False, add_cross_attention=False,
            position_embedding_type="absolute", tie_word_embeddings=True,
        )  # fmt: skip
        predicts = tuple(head for head, name in KNOWN_BY.items() if name in tensors)
        if not predicts:
            raise ValueError(
                f"the checkpoint must hold a head, known by one of {list(KNOWN_BY.values())}; "
                "it holds none"
            )
        classes = len(tensors["classifier.weight"]) if "classes" in predicts else 2
        return BERTConfig(
            vocab_size=need(settings, "vocab_size"),
            context_length=need(settings, "max_position_embeddings"),
            num_layers=need(settings, "num_hidden_layers"),
            num_heads=need(settings, "num_attention_heads"),
            d_model=need(settings, "hidden_size"),
            d_ff=need(settings, "intermediate_size"),
            segments=settings.get("type_vocab_size", 2),
            predicts=predicts,
            classes=classes,
            activation=activation(settings, "hidden_act", "gelu", ACTIVATIONS),
            eps=float(settings.get("layer_norm_eps", 1e-12)),
            dropout=float(settings.get("hidden_dropout_prob", 0.1)),
            padding=settings.get("pad_token_id", 0),
        )

    def settings(self, config: BERTConfig) -> dict[str, Any]:
        """``config.json`` from our config."""
        found = {
            "architectures": [ARCHITECTURES[frozenset(config.predicts)]],
            "vocab_size": config.vocab_size,
            "max_position_embeddings": config.context_length,
            "num_hidden_layers": config.num_layers,
            "num_attention_heads": config.num_heads,
            "hidden_size": config.d_model,
            "intermediate_size": config.d_ff or 4 * config.d_model,
            "type_vocab_size": config.segments,
            "hidden_act": activation_name(config.activation),
            "layer_norm_eps": config.eps,
            "hidden_dropout_prob": config.dropout,
            "attention_probs_dropout_prob": config.dropout,
            "pad_token_id": config.padding,
        }
        if "classes" in config.predicts:
            found["num_labels"] = config.classes
        return found

    def differs(self, config: BERTConfig) -> list[str]:
        """What of our config BERT's classes have no place for."""
        why = ["causal must be False"] if config.causal else []
        why += ['pooled must be "cls"'] if config.pooled != "cls" else []
        if frozenset(config.predicts) not in ARCHITECTURES:
            known = [sorted(heads) for heads in ARCHITECTURES]
            why.append(f"predicts must be one of {known}")
        return why

    def copies(self, config: BERTConfig) -> dict[str, str]:
        """The masked-word head's matrix and vector may be stored again."""
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
            names = {x: f"{theirs}.attention.self.{n}"
                     for x, n in zip("QKV", ("query", "key", "value"), strict=True)}  # fmt: skip
            names["O"] = f"{theirs}.attention.output.dense"
            found += [
                *attention(names, f"{ours}.attention"),
                *norm(f"{theirs}.attention.output.LayerNorm", f"{ours}.attention_norm"),
                *affine(f"{theirs}.intermediate.dense", f"{ours}.ffn.W_1", f"{ours}.ffn.b_1"),
                *affine(f"{theirs}.output.dense", f"{ours}.ffn.W_2", f"{ours}.ffn.b_2"),
                *norm(f"{theirs}.output.LayerNorm", f"{ours}.ffn_norm"),
            ]
        if "words" in config.predicts:
            transform = "cls.predictions.transform"
            found += [
                Weight("cls.predictions.bias", ("words.b_V",)),
                *affine(f"{transform}.dense", "words.transform.W", "words.transform.b"),
                *norm(f"{transform}.LayerNorm", "words.norm"),
            ]
        if {"next", "classes"} & set(config.predicts):
            found += affine("bert.pooler.dense", "pooler.W", "pooler.b")
        if "next" in config.predicts:
            found += affine("cls.seq_relationship", "next.W", "next.b")
        if "classes" in config.predicts:
            found += affine("classifier", "classes.W", "classes.b")
        return found
