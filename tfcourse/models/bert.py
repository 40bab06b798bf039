"""An encoder-only model: BERT, which reads both sides of a word, with its three heads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.arguments import above_zero, check_shapes, one_of
from tfcourse.attention import affine
from tfcourse.layers import ACTIVATIONS, Affine, LayerNorm
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
from tfcourse.positions import LearnedPositions

#: What a BERT can predict: the word at each position, whether the second segment follows the first,
#: and the class of the whole sequence.
HEADS = ("words", "next", "classes")


@dataclass(frozen=True)
class BERTConfig(Config):
    """Sizes and choices of a :class:`BERT`; the defaults are those of BERT base.

    Attributes
    ----------
    vocab_size, segments, classes:
        Vocabulary size, ``V``, and numbers of segment types and of classes for ``"classes"``.
    context_length:
        Maximum sequence length.
    num_layers, num_heads, d_model, d_ff:
        Numbers of blocks and attention heads, and widths of the tokens and of the feed-forward
        layer (default ``4 d_model``).
    predicts:
        Which of :data:`HEADS` it has; ``forward`` uses the first by default. With ``()`` it is an
        encoder alone, for :meth:`BERT.encode` and :meth:`BERT.pool`.
    pooled:
        What represents the sequence in the heads ``"next"`` and ``"classes"``: ``"cls"`` for the
        last state of the first token, or ``"mean"`` for the mean of all real tokens' last states.
    pooler:
        Whether it has the layer over the pooled vector even if no head needs it.
    activation, eps:
        Activation of the feed-forward layer and the masked-word head; epsilon of the
        normalisations.
    causal:
        Whether words see only their left context, to measure what the right context is worth.
    dropout:
        Dropout in training, applied to the embeddings, the attention weights, the output of each
        part and the pooled vector.
    padding:
        Id of the padding, whose embedding gets no gradient from look-ups; default none.
    std:
        Standard deviation of the initial weights. BERT's 0.02 is meant for a width of 768; narrow
        models learn faster with more, such as ``0.5 / d_model ** 0.5``.
    """

    vocab_size: int
    context_length: int = 512
    num_layers: int = 12
    num_heads: int = 12
    d_model: int = 768
    d_ff: int | None = None
    segments: int = 2
    predicts: tuple[str, ...] = ("words",)
    classes: int = 2
    pooled: str = "cls"
    pooler: bool = False
    activation: str = "gelu"
    eps: float = 1e-12
    causal: bool = False
    dropout: float = 0.1
    padding: int | None = None
    std: float = 0.02

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(("cls", "mean"), pooled=self.pooled)
        above_zero(std=self.std)
        if not set(self.predicts) <= set(HEADS):
            raise ValueError(f"predicts must be some of {list(HEADS)}, got {list(self.predicts)}")
        self.check_padding(self.vocab_size)

    @property
    def pools(self) -> bool:
        """Whether there is a layer over the pooled vector."""
        return self.pooler or bool({"next", "classes"} & set(self.predicts))


class BERT(Model):
    r"""A stack of post-norm blocks in which every token sees all others, with heads on top.

    .. math:: h^0 = \operatorname{LN}(E_x + P + S_{seg}), \qquad
              h^l = \operatorname{Block}_l(h^{l-1})

    - ``"words"``: :math:`\operatorname{LN}(g(h^L W + b))\, E^\top + b_V` at every position;
    - ``"next"`` and ``"classes"``: :math:`\tanh(h^L_0 W_p + b_p)\, W_c + b_c`, from the first
      token, [CLS], only; with ``pooled="mean"``, the tokens' mean state replaces :math:`h^L_0`.

    Attributes
    ----------
    embedding, segments:
        ``embedding.weight`` is E, ``(V, D)``; ``segments.weight`` is S.
    words, pooler, next, classes:
        The heads, each ``None`` if it is not in ``config.predicts``; the pooler serves the last
        two, and :meth:`pool`.

    Notes
    -----
    Devlin et al. 2019, section 3 and appendix A; 224N section 3.5; UCB "BERT".
    """

    def __init__(self, config: BERTConfig) -> None:
        super().__init__()
        self.config = config
        D, predicts = config.d_model, config.predicts
        self.embedding = nn.Embedding(config.vocab_size, D, padding_idx=config.padding)
        self.positions = LearnedPositions(config.context_length, D)
        self.segments = nn.Embedding(config.segments, D)
        self.embedding_norm = LayerNorm(D, config.eps)
        self.blocks = encoder_blocks(config, "post")
        self.words = MaskedWords(config) if "words" in predicts else None
        self.pooler = Affine(D, D) if config.pools else None
        self.next = Affine(D, 2) if "next" in predicts else None
        self.classes = Affine(D, config.classes) if "classes" in predicts else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights as BERT does, with standard deviation ``config.std``."""
        draw_matrices(self, partial(nn.init.normal_, std=self.config.std))

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        segments: Int[Tensor, "B T"] | None = None,
        lengths: Int[Tensor, " B"] | None = None,
        *,
        predict: str | None = None,
        places: Bool[Tensor, "B T"] | None = None,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Compute the predictions of one of the model's heads.

        The logits are ``(B, T, V)`` for ``"words"``, or with ``places`` ``(n, V)``, in the order of
        ``tokens[places]``; ``(B, 2)`` for ``"next"`` and ``(B, classes)`` for ``"classes"``.
        Impossible ids, segments and lengths, a sequence that is too long, a head that the model
        does not have, and ``places`` for a head other than ``"words"`` raise ``ValueError``.

        Parameters
        ----------
        tokens, segments, lengths:
            Ids, beginning with [CLS]; the segment of each, by default 0; and how many tokens of
            each sequence are real, by default all.
        predict:
            One of ``config.predicts``; defaults to the first.
        places:
            Positions at which ``"words"`` predicts; by default all. A row of ``V`` logits for each
            word that is not needed would be the largest cost of pre-training.
        return_weights, return_states:
            Whether to return the maps ``"self"`` ``(B, H, T, T)``, which takes the explicit path
            through attention, and the ``num_layers + 1`` hidden states ``(B, T, D)``.
        """
        if not self.config.predicts:
            raise ValueError(
                "predict must name a head, and this model has none: encode gives the last states, "
                f"pool the pooled vector, got {predict!r}"
            )
        predict = self.config.predicts[0] if predict is None else predict
        one_of(self.config.predicts, predict=predict)
        asked = {"return_weights": return_weights, "return_states": return_states}
        x, seen, passed = self._encode(tokens, segments, lengths, **asked)
        logits = self.head(x, predict, lengths, places)
        return Output.of(logits, {"self": seen}, {"self": passed})

    def encode(
        self,
        tokens: Int[Tensor, "B T"],
        segments: Int[Tensor, "B T"] | None = None,
        lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
    ) -> tuple[Float[Tensor, "B T D"], list[Tensor] | None]:
        """The last states ``(B, T, D)``, and the maps or ``None``; arguments as in ``forward``."""
        x, seen, _ = self._encode(tokens, segments, lengths, return_weights=return_weights)
        return x, seen or None

    def _encode(
        self, tokens: Tensor, segments: Tensor | None, lengths: Tensor | None, **asked: bool
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """The last states, each block's weights, and all states if requested."""
        x = look_up(self.embedding, tokens, "tokens")
        segments = torch.zeros_like(tokens) if segments is None else segments
        mask = real(lengths, tokens)  # (B, 1, T)
        segment = look_up(self.segments, segments, "segments")
        check_shapes(segments=(segments, tokens.shape))
        x = self.positions.embed(x) + segment
        x = self.drop(self.embedding_norm(x))
        return through(self.blocks, x, mask, causal=self.config.causal, **asked)

    def head(
        self,
        x: Float[Tensor, "B T D"],
        predict: str,
        lengths: Int[Tensor, " B"] | None = None,
        places: Bool[Tensor, "B T"] | None = None,
    ) -> Float[Tensor, "*places V"]:
        """The logits of one head from the last states; pre-training uses two per pass.

        Arguments as in :meth:`forward`; ``lengths`` matter only to ``pooled="mean"``.
        """
        one_of(self.config.predicts, predict=predict)
        if places is not None:
            check_shapes(places=(places, x.shape[:2]))
        if predict == "words" and self.words is not None:
            return self.words(x if places is None else x[places], self.embedding.weight)
        if places is not None:
            raise ValueError(
                f'places must be None unless predict="words", got them for {predict!r}'
            )
        last = self.next if predict == "next" else self.classes
        assert last is not None  # the config has this head
        pooled = self.pool(x, lengths)
        pooled = F.dropout(pooled, self.config.dropout, self.training and predict == "classes")
        return last(pooled)

    def pool(
        self, x: Float[Tensor, "B T D"], lengths: Int[Tensor, " B"] | None = None
    ) -> Float[Tensor, "B D"]:
        """One vector for each sequence from the last states, which :meth:`encode` gives.

        ``lengths`` matter only to ``pooled="mean"``. A model without a pooler raises
        ``ValueError``.
        """
        if self.pooler is None:
            raise ValueError(
                "pooler must be True in the config, or a head must need it, to pool the states"
            )
        if self.config.pooled == "cls":
            pooled = x[:, 0]  # [CLS] represents the whole           (B, D)
        else:
            mask = real(lengths, x)  # (B, 1, T)
            pooled = average(x, mask)[0][:, 0]
        return torch.tanh(self.pooler(pooled))


class MaskedWords(nn.Module):
    """The head that predicts words: a layer of its own, then the transposed embedding.

    Notes
    -----
    Devlin et al. 2019, section 3.1, "Task #1: Masked LM"; 224N section 3.5.
    """

    def __init__(self, config: BERTConfig) -> None:
        super().__init__()
        self.activation: Callable[[Tensor], Tensor] = ACTIVATIONS[config.activation]
        self.transform = Affine(config.d_model, config.d_model)
        self.norm = LayerNorm(config.d_model, config.eps)
        self.b_V = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, x: Float[Tensor, "*T D"], E: Float[Tensor, "V D"]) -> Float[Tensor, "*T V"]:
        """Score every word of the vocabulary at every position."""
        return affine(self.norm(self.activation(self.transform(x))), E.T, self.b_V)
