"""The encoder-decoder of 2017: one stack reads, the other writes and attends to the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import axes, one_of, same_batch
from tfcourse.attention import KeyValueCache, MultiHeadAttention, affine
from tfcourse.layers import Block, FeedForward, LayerNorm
from tfcourse.models.common import Config, Model, Output, held, look_up, real, through
from tfcourse.positions import LearnedPositions, Positions, SinusoidalPositions

#: The position schemes; the two sinusoidal ones differ in the order of their columns.
POSITIONS = ("sinusoidal", "sinusoidal_halves", "learned")


@dataclass(frozen=True)
class TransformerConfig(Config):
    """Sizes and choices of a :class:`Transformer`; the defaults are the paper's base model.

    Attributes
    ----------
    vocab_size, target_vocab_size:
        Source vocabulary size, and the target's, which defaults to the same.
    context_length:
        Maximum sequence length in training. Learned positions are limited to it; sinusoidal ones
        extrapolate.
    num_encoder_layers, num_decoder_layers, num_heads, d_model, d_ff:
        Numbers of blocks and of attention heads, and widths of the tokens and of the feed-forward
        layer (default ``4 d_model``).
    norm:
        ``"post"``, as in the paper, or ``"pre"``.
    final_norm:
        Whether each stack ends with a normalisation of its own. By default pre-norm stacks do and
        post-norm ones, whose last block ends with one, do not. ``nn.Transformer`` always has them.
    positions:
        One of :data:`POSITIONS`; ``"sinusoidal_halves"`` has all sines before all cosines.
    shared, tied:
        Whether source and target share one embedding, which requires one vocabulary; whether the
        unembedding is the target's embedding. The paper shares all three.
    scale_embeddings, output_bias:
        Whether embeddings are multiplied by ``sqrt(d_model)``, and logits get a learned bias.
    activation, eps:
        Activation of the feed-forward layers, and epsilon of the normalisations.
    dropout, attention_dropout:
        Dropout in training, applied to the embeddings and the output of each part; and to the
        attention weights, which the paper does not have.
    padding:
        Id of the padding, whose embedding gets no gradient from look-ups; default none.
    """

    vocab_size: int
    target_vocab_size: int | None = None
    context_length: int = 512
    num_encoder_layers: int = 6
    num_decoder_layers: int = 6
    num_heads: int = 8
    d_model: int = 512
    d_ff: int | None = None
    norm: str = "post"
    final_norm: bool | None = None
    positions: str = "sinusoidal"
    shared: bool = True
    tied: bool = True
    scale_embeddings: bool = True
    output_bias: bool = False
    activation: str = "relu"
    eps: float = 1e-5
    dropout: float = 0.1
    attention_dropout: float = 0.0
    padding: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(("pre", "post"), norm=self.norm)
        one_of(POSITIONS, positions=self.positions)
        if self.shared and self.writes != self.vocab_size:
            raise ValueError(
                f"target_vocab_size must be vocab_size={self.vocab_size} if the embedding is "
                f"shared, got {self.target_vocab_size}"
            )
        self.check_padding(min(self.vocab_size, self.writes))

    @property
    def writes(self) -> int:
        """Target vocabulary size, ``V``."""
        return self.vocab_size if self.target_vocab_size is None else self.target_vocab_size

    @property
    def ends_in_norm(self) -> bool:
        """Whether each stack ends with a normalisation of its own."""
        return self.norm == "pre" if self.final_norm is None else self.final_norm


class Transformer(Model):
    r"""An encoder whose tokens attend to each other, and a decoder that attends to them.

    .. math:: m = \operatorname{Encoder}(\sqrt{d}\, E_x + P), \qquad
              \text{logits} = \operatorname{Decoder}(\sqrt{d}\, E'_y + P,\; m)\, W_U

    Every decoder block attends first to the target so far, then to all of ``m``. Padding comes
    last; in the target it needs no mask, as no token sees a later one.

    Attributes
    ----------
    source_embedding, target_embedding:
        E and E', the same module if shared.
    W_U, b_U:
        ``(D, V)`` or ``None`` if tied, and ``(V,)`` or ``None``.

    Notes
    -----
    Vaswani et al. 2017, section 3; UW "The Transformer Encoder-Decoder", "Cross-Attention Details";
    224N section 3.7; KA "Transformer Encoder - Decoder". Tying: Press and Wolf 2017.
    """

    W_U: nn.Parameter | None
    b_U: nn.Parameter | None

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        D, V = config.d_model, config.writes
        self.source_embedding = nn.Embedding(config.vocab_size, D, padding_idx=config.padding)
        self.target_embedding = (
            self.source_embedding if config.shared
            else nn.Embedding(V, D, padding_idx=config.padding)
        )  # fmt: skip
        self.source_positions = _positions(config)
        self.target_positions = _positions(config)
        self.encoder = nn.ModuleList(
            _block(config, cross=False) for _ in range(config.num_encoder_layers)
        )
        self.decoder = nn.ModuleList(
            _block(config, cross=True) for _ in range(config.num_decoder_layers)
        )
        ends = config.ends_in_norm
        self.encoder_norm = LayerNorm(D, config.eps) if ends else nn.Identity()
        self.decoder_norm = LayerNorm(D, config.eps) if ends else nn.Identity()
        self.W_U = None if config.tied else nn.Parameter(torch.empty(D, V))
        self.b_U = nn.Parameter(torch.zeros(V)) if config.output_bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise: matrices as Glorot and Bengio do, embeddings with variance 1/D."""
        for block in (*self.encoder, *self.decoder):
            for part in (block.attention, block.cross, block.ffn):
                if part is not None:
                    part.reset_parameters()
        for table in (self.source_embedding, self.target_embedding):
            nn.init.normal_(table.weight, std=self.config.d_model**-0.5)
        if self.W_U is not None:
            nn.init.normal_(self.W_U, std=self.config.d_model**-0.5)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Score the next token at each position of the target: logits ``(B, T, V)``.

        The target begins with the start token; in each source ``source_lengths`` tokens are real,
        by default all. ``return_weights`` returns the maps ``"encoder"`` ``(B, H, S, S)``,
        ``"decoder"`` ``(B, H, T, T)`` and ``"cross"`` ``(B, H, T, S)``, by the explicit path
        through attention; ``return_states`` the hidden states ``"encoder"`` and ``"decoder"``, one
        more of each than there are blocks. Impossible ids and lengths, and a sequence past the last
        learned position, raise ``ValueError``.
        """
        memory, seen, passed = self._encode(
            source, source_lengths, return_weights=return_weights, return_states=return_states
        )
        written = self.decode(
            target, memory, source_lengths,
            return_weights=return_weights, return_states=return_states,
        )  # fmt: skip
        return Output.of(
            written.logits,
            {"encoder": seen, **(written.maps or {})},
            {"encoder": passed, **(written.states or {})},
        )

    def encode(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
    ) -> tuple[Float[Tensor, "B S D"], list[Tensor] | None]:
        """The encoder's output ``(B, S, D)``, and its maps or ``None``; see ``forward``."""
        memory, seen, _ = self._encode(source, source_lengths, return_weights=return_weights)
        return memory, seen or None

    def _encode(
        self, source: Tensor, source_lengths: Tensor | None, **asked: bool
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """The encoder's output, each block's weights, and the states if requested."""
        x = self._tokens(self.source_embedding, self.source_positions, source, "source")
        mask = real(source_lengths, source, "source_lengths")
        x, seen, passed = through(self.encoder, x, mask, **asked)
        return self.encoder_norm(x), seen, passed

    def decode(
        self,
        target: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S D"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        caches: Sequence[KeyValueCache] | None = None,
        context_caches: Sequence[KeyValueCache] | None = None,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Score the next token at each position of the target, from the encoder's output.

        Parameters
        ----------
        target:
            Ids. With caches, only the new tokens, which follow the cached ones.
        memory, source_lengths:
            The output of :meth:`encode`, and the lengths it was given.
        caches, context_caches:
            One per decoder block, for its self-attention and for its attention to ``memory``, whose
            keys and values are computed only in the first call.
        return_weights, return_states:
            As in :meth:`forward`, here for ``"decoder"`` and ``"cross"``, and for ``"decoder"``.
        """
        start = held(caches, len(self.decoder))
        held(context_caches, len(self.decoder), "context_caches")
        axes("memory", memory, "B S D")
        mask = real(source_lengths, memory, "source_lengths")
        y = self._tokens(self.target_embedding, self.target_positions, target, "target", start)
        same_batch(target=target, memory=memory)
        own: list[Tensor] = []
        across: list[Tensor] = []
        passed = [y] if return_states else []
        for i, block in enumerate(self.decoder):
            cache = None if caches is None else caches[i]
            context_cache = None if context_caches is None else context_caches[i]
            y, (weights, cross) = block(
                y, context=memory, context_mask=mask, causal=True, cache=cache,
                context_cache=context_cache, fused=not return_weights,
            )  # fmt: skip
            if weights is not None and cross is not None:
                own.append(weights)  # (B, H, T, T)
                across.append(cross)  # (B, H, T, S)
            if return_states:
                passed.append(y)  # (B, T, D)
        W_U = self.target_embedding.weight.T if self.W_U is None else self.W_U  # (D, V)
        logits = affine(self.decoder_norm(y), W_U, self.b_U)  # (B, T, V)
        return Output.of(logits, {"decoder": own, "cross": across}, {"decoder": passed})

    def _tokens(
        self, table: nn.Embedding, positions: Positions, ids: Tensor, name: str, start: int = 0
    ) -> Tensor:
        """Embeddings with their positions, ``(B, T, D)``."""
        x = look_up(table, ids, name)
        if self.config.scale_embeddings:
            x = x * self.config.d_model**0.5
        return self.drop(positions.embed(x, start))

    def new_caches(self, max_length: int | None = None) -> list[KeyValueCache]:
        """Empty caches, one per block, for ``max_length`` tokens (default ``context_length``)."""
        max_length = self.config.context_length if max_length is None else max_length
        return [KeyValueCache(max_length) for _ in self.decoder]

    def new_context_caches(self, source_length: int) -> list[KeyValueCache]:
        """Empty caches for the keys and values of a source of this length, one per block."""
        return [KeyValueCache(source_length) for _ in self.decoder]


class SinusoidalHalves(SinusoidalPositions):
    """Sinusoidal positions with all sines first and then all cosines, in Marian's order.

    A model can learn with either; a trained one needs the order it was trained with.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, with the columns in a different order.
    """

    def table(self, positions: Tensor, dtype: torch.dtype = torch.float32) -> Float[Tensor, "*N D"]:
        """The codes of these positions, one per row."""
        alternating = super().table(positions, dtype)  # sin, cos, sin, cos, ...
        return torch.cat([alternating[..., 0::2], alternating[..., 1::2]], dim=-1)


def _positions(config: TransformerConfig) -> Positions:
    if config.positions == "learned":
        return LearnedPositions(config.context_length, config.d_model)
    kind = SinusoidalHalves if config.positions == "sinusoidal_halves" else SinusoidalPositions
    return kind(config.d_model)


def _block(config: TransformerConfig, *, cross: bool) -> Block:
    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(
            config.d_model, config.num_heads, dropout=config.attention_dropout
        )

    return Block(
        attention(),
        FeedForward(config.d_model, config.d_ff, config.activation),
        "pre" if config.norm == "pre" else "post",
        cross=attention() if cross else None,
        eps=config.eps,
        dropout=config.dropout,
    )
