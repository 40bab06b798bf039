"""A document as an average of its words, with equal weights or with those of learned queries."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.alignment import AttentionPooling
from tfcourse.attention import affine, average_by_scores
from tfcourse.models.common import Config, Model, Output, look_up, real
from tfcourse.recurrent import GRUCell, Recurrent, RecurrentCell


@dataclass(frozen=True)
class PoolingConfig(Config):
    """Sizes and choices of a :class:`PoolingClassifier`.

    Attributes
    ----------
    vocab_size, classes, d_model:
        Vocabulary size, number of classes, and width of the embeddings, ``D``.
    queries:
        Number of learned queries that weight the words; with 0 all words have equal weight.
    hidden:
        Width of the transformed words that the queries score; ``None`` for the words themselves.
    d_hidden:
        Width of each direction of a GRU that reads the words first; default no GRU.
    dropout:
        Dropout in training, applied to the embeddings and to the pooled vectors.
    """

    vocab_size: int
    classes: int = 2
    d_model: int = 100
    queries: int = 1
    hidden: int | None = None
    d_hidden: int | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.queries < 0:
            raise ValueError(f"queries must be at least 0, got {self.queries}")
        if self.hidden is not None and not self.queries:
            raise ValueError(f"hidden must be None without queries, got {self.hidden}")


class DocumentClassifier(Model):
    """Base class of classifiers that weight words: an embedding, parts, and an output layer.

    Notes
    -----
    UCB "Attention".
    """

    embedding: nn.Embedding
    W: nn.Parameter
    b: nn.Parameter

    def reset_parameters(self) -> None:
        """Reinitialise: embeddings with variance 1, ``W`` with 1 over its number of rows."""
        nn.init.normal_(self.embedding.weight)
        for part in self.modules():
            if isinstance(part, AttentionPooling | RecurrentCell):
                part.reset_parameters()
        nn.init.normal_(self.W, std=len(self.W) ** -0.5)
        nn.init.zeros_(self.b)


class PoolingClassifier(DocumentClassifier):
    r"""Average the words' vectors, with equal weights or with those of learned queries.

    .. math:: o_k = \sum_j a_{kj}\, x_j, \qquad \text{logits} = [o_1; \dots; o_{N_q}]\, W + b

    With queries :math:`a_k = \softmax(r_k)`, as in :class:`~tfcourse.alignment.AttentionPooling`;
    without, each of the n words has :math:`a_j = 1/n`: attention with equal scores.

    Attributes
    ----------
    embedding, gru, pool:
        The word vectors; the GRU, or ``None``; the attention pooling, or ``None`` for a mean.
    W, b:
        ``(queries * D, classes)`` and ``(classes,)``; with a GRU, ``2 d_hidden`` replaces ``D``.

    Notes
    -----
    UCB "Attention": the "important word" vector, and its variations.
    """

    def __init__(self, config: PoolingConfig) -> None:
        super().__init__()
        self.config = config
        D, Dh = config.d_model, config.d_hidden
        self.embedding = nn.Embedding(config.vocab_size, D)
        self.gru = None if Dh is None else Recurrent(GRUCell, D, Dh, bidirectional=True)
        D = D if Dh is None else 2 * Dh
        q = config.queries
        self.pool = AttentionPooling(D, q, config.hidden) if q else None
        self.W = nn.Parameter(torch.empty(max(q, 1) * D, config.classes))
        self.b = nn.Parameter(torch.empty(config.classes))
        self.reset_parameters()

    def forward(
        self,
        tokens: Int[Tensor, "B S"],
        lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
        fused: bool = True,
    ) -> Output:
        """Score the classes of each document, ``(B, classes)``.

        ``lengths`` are numbers of words, by default ``S``; a document without words is pooled to
        zeros. ``return_weights`` returns the weights of the words as ``"words"``, one ``(B, 1,
        queries, S)``. With ``fused`` PyTorch's kernel runs the GRU. Impossible ids and lengths
        raise ``ValueError``.
        """
        x = self.drop(look_up(self.embedding, tokens, "tokens", "B S"))  # (B, S, D)
        mask = real(lengths, tokens)
        if self.gru is not None:
            x, _ = self.gru(x, lengths, fused=fused)
        pooled, weights = average(x, mask) if self.pool is None else self.pool(x, mask)
        logits = affine(self.drop(pooled.flatten(1)), self.W, self.b)
        return Output(logits, {"words": [weights[:, None]]} if return_weights else None)


def average(
    x: Float[Tensor, "B S D"], mask: Bool[Tensor, "B 1 S"] | None
) -> tuple[Float[Tensor, "B 1 D"], Float[Tensor, "B 1 S"]]:
    """The mean of the real tokens, as attention with equal scores; zeros if there are none."""
    return average_by_scores(x.new_zeros(len(x), 1, x.shape[1]), x, mask)
