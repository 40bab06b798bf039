"""A Transformer in which one token, [CLS], represents the whole document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor, nn

from tfcourse.arguments import one_of
from tfcourse.attention import affine
from tfcourse.layers import LayerNorm
from tfcourse.models.classifiers.pooling import average
from tfcourse.models.common import (
    Config,
    Model,
    Output,
    draw_matrices,
    encoder_blocks,
    look_up,
    real,
    through,
)
from tfcourse.positions import LearnedPositions, Positions, SinusoidalPositions

#: The position schemes of a :class:`TransformerClassifier`.
POSITIONS = ("learned", "sinusoidal", "none")


@dataclass(frozen=True)
class TransformerClassifierConfig(Config):
    """Sizes and choices of a :class:`TransformerClassifier`.

    Attributes
    ----------
    vocab_size, classes:
        As in :class:`PoolingConfig`.
    context_length:
        Maximum number of words in a document, if positions are learned.
    num_layers, num_heads, d_model, d_ff:
        Numbers of blocks and heads, and widths of the tokens and of the feed-forward layer (default
        ``4 d_model``).
    pooled:
        ``"cls"`` for the state of an extra first token, or ``"mean"`` for the words' mean state.
    positions:
        Position scheme: ``"learned"``, ``"sinusoidal"`` or ``"none"``.
    activation, eps, dropout:
        As in :class:`~tfcourse.models.bert.BERTConfig`.
    """

    vocab_size: int
    classes: int = 2
    context_length: int = 512
    num_layers: int = 2
    num_heads: int = 4
    d_model: int = 128
    d_ff: int | None = None
    pooled: str = "cls"
    positions: str = "learned"
    activation: str = "gelu"
    eps: float = 1e-5
    dropout: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(("cls", "mean"), pooled=self.pooled)
        one_of(POSITIONS, positions=self.positions)


class TransformerClassifier(Model):
    r"""An extra first token, [CLS], sees all words and represents the document.

    .. math:: h^0 = [c;\, E_x] + P, \qquad h^l = \operatorname{Block}_l(h^{l-1}), \qquad
              \text{logits} = \operatorname{LN}(h^L_0)\, W + b

    With ``pooled="mean"`` there is no c, and the words' mean state replaces :math:`h^L_0`.

    Attributes
    ----------
    embedding, c:
        Weights ``(vocab_size, D)``, and ``(D,)``, the vector of [CLS], or ``None``.
    W, b:
        ``(D, classes)`` and ``(classes,)``.

    Notes
    -----
    UCB "Transformers" ([CLS] in its figure); Devlin et al. 2019, section 3, for the token. Blocks
    are pre-norm, 224N equation (30). :class:`~tfcourse.models.bert.BERT` is the one to pre-train.
    """

    c: nn.Parameter | None

    def __init__(self, config: TransformerClassifierConfig) -> None:
        super().__init__()
        self.config = config
        D, cls = config.d_model, config.pooled == "cls"
        self.embedding = nn.Embedding(config.vocab_size, D)
        self.c = nn.Parameter(torch.empty(D)) if cls else None
        self.positions = {
            "learned": lambda: LearnedPositions(config.context_length + cls, D),
            "sinusoidal": lambda: SinusoidalPositions(D),
            "none": Positions,
        }[config.positions]()
        self.blocks = encoder_blocks(config, "pre")
        self.norm = LayerNorm(D, config.eps)
        self.W = nn.Parameter(torch.empty(D, config.classes))
        self.b = nn.Parameter(torch.zeros(config.classes))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights as BERT and ViT do."""
        draw_matrices(self, partial(nn.init.normal_, std=0.02))
        if self.c is not None:
            nn.init.normal_(self.c, std=0.02)

    def forward(
        self,
        tokens: Int[Tensor, "B S"],
        lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
    ) -> Output:
        """Score the classes of each document, ``(B, classes)``; this prepends [CLS].

        ``lengths`` are numbers of words, by default ``S``; in a document without words [CLS] sees
        only itself, and the mean state is zero. ``return_weights`` returns the maps ``"self"``
        ``(B, H, S + 1, S + 1)`` with [CLS] first, or ``(B, H, S, S)`` without it, by the explicit
        path through attention. Impossible ids and lengths, and a document that is too long, raise
        ``ValueError``.
        """
        x = look_up(self.embedding, tokens, "tokens", "B S")  # (B, S, D)
        mask = real(lengths, tokens)  # (B, 1, S)
        if self.c is not None:
            x = torch.cat([self.c.expand(x.shape[0], 1, -1), x], dim=1)  # (B, S + 1, D)
            mask = None if mask is None else F.pad(mask, (1, 0), value=True)
        x, seen, _ = through(
            self.blocks, self.drop(self.positions.embed(x)), mask, return_weights=return_weights
        )
        pooled = x[:, 0] if self.c is not None else average(x, mask)[0][:, 0]
        logits = affine(self.norm(pooled), self.W, self.b)
        return Output.of(logits, {"self": seen}, {})
