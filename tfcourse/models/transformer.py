"""The encoder-decoder of 2017: one stack reads, the other writes and looks at what was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import axes, one_of, share
from tfcourse.attention import KeyValueCache, MultiHeadAttention
from tfcourse.layers import ACTIVATIONS, Block, FeedForward, LayerNorm
from tfcourse.models.checks import divides, held, look_up, real, sizes
from tfcourse.models.counting import block_flops, count_parameters, product_flops
from tfcourse.models.output import Output
from tfcourse.positions import LearnedPositions, Positions, SinusoidalPositions

#: How it may be told places; the two sinusoidal ones differ in the order of their numbers.
POSITIONS = ("sinusoidal", "sinusoidal_halves", "learned")


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices of a :class:`Transformer`; the defaults are the paper's base model.

    Attributes
    ----------
    vocabulary:
        Source vocabulary size, and the target's too unless ``target_vocabulary`` is given.
    target_vocabulary:
        Target vocabulary size; ``vocabulary`` unless given.
    longest:
        Longest sequence in training. Learned positions are limited to it; sinusoidal ones
        extrapolate.
    encoder_layers, decoder_layers, heads, d_model, d_ff:
        Numbers of blocks and of attention heads, width of the tokens, and width of the feed-forward
        layer (``4 d_model`` unless given).
    norm:
        ``"post"``, as in the paper, or ``"pre"``.
    final_norm:
        Whether each stack ends in a normalisation of its own. Unless given, pre-norm stacks do and
        post-norm ones, whose last block ends in one, do not. ``nn.Transformer`` always has them.
    positions:
        One of :data:`POSITIONS`; ``"sinusoidal_halves"`` has all sines before all cosines.
    shared:
        Whether source and target share one embedding, which wants one vocabulary.
    tied:
        Whether the unembedding is the target's embedding; the paper shares all three.
    scaled:
        Whether embeddings are multiplied by ``sqrt(d_model)``.
    output_bias:
        Whether a learned vector is added to the logits.
    activation, eps:
        Of the feed-forward layers and of the normalisations.
    dropout:
        Share set to zero in training, of the embeddings and of what each part adds.
    attention_dropout:
        The same of attention weights; the paper has none.
    padding:
        Id of the padding, whose embedding is not trained by being looked up; none unless given.
    """

    vocabulary: int
    target_vocabulary: int | None = None
    longest: int = 512
    encoder_layers: int = 6
    decoder_layers: int = 6
    heads: int = 8
    d_model: int = 512
    d_ff: int | None = None
    norm: str = "post"
    final_norm: bool | None = None
    positions: str = "sinusoidal"
    shared: bool = True
    tied: bool = True
    scaled: bool = True
    output_bias: bool = False
    activation: str = "relu"
    eps: float = 1e-5
    dropout: float = 0.1
    attention_dropout: float = 0.0
    padding: int | None = None

    def __post_init__(self) -> None:
        sizes(
            vocabulary=self.vocabulary, target_vocabulary=self.target_vocabulary,
            longest=self.longest, encoder_layers=self.encoder_layers,
            decoder_layers=self.decoder_layers, heads=self.heads, d_model=self.d_model,
            d_ff=self.d_ff,
        )  # fmt: skip
        divides(self.heads, self.d_model)
        one_of(("pre", "post"), norm=self.norm)
        one_of(POSITIONS, positions=self.positions)
        one_of(ACTIVATIONS, activation=self.activation)
        share(dropout=self.dropout, attention_dropout=self.attention_dropout)
        if self.shared and self.writes != self.vocabulary:
            raise ValueError(
                f"target_vocabulary must be vocabulary={self.vocabulary} where the embedding is "
                f"shared, got {self.target_vocabulary}"
            )
        if self.padding is not None and not 0 <= self.padding < min(self.vocabulary, self.writes):
            raise ValueError(
                f"padding must lie between 0 and {min(self.vocabulary, self.writes) - 1}, "
                f"got {self.padding}"
            )

    @property
    def writes(self) -> int:
        """Number of tokens the target may be made of, ``V``."""
        return self.vocabulary if self.target_vocabulary is None else self.target_vocabulary

    @property
    def ends_in_norm(self) -> bool:
        """Whether each stack ends in a normalisation of its own."""
        return self.norm == "pre" if self.final_norm is None else self.final_norm


class Transformer(nn.Module):
    r"""An encoder whose tokens see each other, and a decoder that looks at them and writes on.

    .. math:: m = \operatorname{Encoder}(\sqrt{d}\, E_x + P), \qquad
              \text{logits} = \operatorname{Decoder}(\sqrt{d}\, E'_y + P,\; m)\, W_U

    Every block of the decoder looks first at what it has written, then at all of ``m``. Padding
    stands last; in the target no mask is needed for it, as no token sees a later one.

    Parameters
    ----------
    config:
        Sizes and choices.

    Attributes
    ----------
    source_embedding, target_embedding:
        E and E', one and the same module where shared.
    W_U, b_U:
        ``(D, V)`` or ``None`` where tied, and ``(V,)`` or ``None``.

    Notes
    -----
    Vaswani et al. 2017, section 3; UW "The Transformer Encoder-Decoder", "Cross-Attention Details";
    224N section 3.7; KA "Transformer Encoder - Decoder". Tying: Press and Wolf 2017.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        D, V = config.d_model, config.writes
        self.source_embedding = nn.Embedding(config.vocabulary, D, padding_idx=config.padding)
        self.target_embedding = (
            self.source_embedding if config.shared
            else nn.Embedding(V, D, padding_idx=config.padding)
        )  # fmt: skip
        self.source_positions = _positions(config)
        self.target_positions = _positions(config)
        self.encoder = nn.ModuleList(
            _block(config, cross=False) for _ in range(config.encoder_layers)
        )
        self.decoder = nn.ModuleList(
            _block(config, cross=True) for _ in range(config.decoder_layers)
        )
        ends = config.ends_in_norm
        self.encoder_norm = LayerNorm(D, config.eps) if ends else nn.Identity()
        self.decoder_norm = LayerNorm(D, config.eps) if ends else nn.Identity()
        W_U = None if config.tied else nn.Parameter(torch.empty(D, V))
        b_U = nn.Parameter(torch.zeros(V)) if config.output_bias else None
        self.register_parameter("W_U", W_U)
        self.register_parameter("b_U", b_U)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew: matrices after Glorot and Bengio, embeddings with variance 1/D."""
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
        maps: bool = False,
        states: bool = False,
    ) -> Output:
        """Score for each place of the target which token comes next.

        Parameters
        ----------
        source, target:
            Ids ``(B, S)`` and ``(B, T)``; the target begins with what starts a sentence.
        source_lengths:
            Number of real tokens of each source, ``(B,)``; all of them unless given.
        maps:
            Whether to give the attention maps: ``"encoder"`` ``(B, H, S, S)``, ``"decoder"``
            ``(B, H, T, T)`` and ``"cross"`` ``(B, H, T, S)``, one for each block; this takes the
            explicit path through attention instead of the fused one.
        states:
            Whether to give the hidden states ``"encoder"`` ``(B, S, D)`` and ``"decoder"``
            ``(B, T, D)``, one more of each than there are blocks.

        Returns
        -------
        output
            Logits ``(B, T, V)``, and the maps and the states or ``None``.

        Raises
        ------
        ValueError
            If an id or a length is impossible, or a sequence goes past the last learned
            position.
        """
        memory, seen, passed = self._encode(source, source_lengths, maps, states)
        logits, across, after = self.decode(
            target, memory, source_lengths, maps=maps, states=states
        )
        return Output(
            logits,
            {"encoder": seen, **across} if maps else None,
            {"encoder": passed, **after} if states else None,
        )

    def encode(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        maps: bool = False,
    ) -> tuple[Float[Tensor, "B S D"], list[Tensor] | None]:
        """What was read, ``(B, S, D)``, and the encoder's maps or ``None``; see ``forward``."""
        memory, seen, _ = self._encode(source, source_lengths, maps, False)
        return memory, seen if maps else None

    def _encode(
        self, source: Tensor, source_lengths: Tensor | None, maps: bool, states: bool
    ) -> tuple[Tensor, list[Tensor | None], list[Tensor]]:
        """What was read, each block's weights, and the states if they are asked for."""
        x = self._tokens(self.source_embedding, self.source_positions, source, "source")
        mask = real(source_lengths, source, "source_lengths")
        seen, passed = [], [x] if states else []
        for block in self.encoder:
            x, (weights,) = block(x, mask, fused=not maps)
            seen.append(weights)
            if states:
                passed.append(x)
        return self.encoder_norm(x), seen, passed

    def decode(
        self,
        target: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S D"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        caches: Sequence[KeyValueCache] | None = None,
        context_caches: Sequence[KeyValueCache] | None = None,
        maps: bool = False,
        states: bool = False,
    ) -> Output:
        """Score the next token at each place of the target, from what the encoder read.

        Parameters
        ----------
        target:
            Ids ``(B, T)``. With caches these are the new tokens alone, which follow those held.
        memory, source_lengths:
            What :meth:`encode` gave, and the lengths it was given.
        caches:
            One for each block of the decoder, for its attention to what it has written.
        context_caches:
            One for each block, for its attention to ``memory``, whose keys and values are computed
            at the first call alone: :meth:`new_context_caches`.
        maps, states:
            As in :meth:`forward`: ``"decoder"`` and ``"cross"``; ``"decoder"``.

        Returns
        -------
        output
            Logits ``(B, T, V)``, and the maps and the states or ``None``.
        """
        start = held(caches, len(self.decoder))
        held(context_caches, len(self.decoder), "context_caches")
        axes("memory", memory, "B S D")
        mask = real(source_lengths, memory, "source_lengths")
        y = self._tokens(self.target_embedding, self.target_positions, target, "target", start)
        own, across, passed = [], [], [y] if states else []
        for i, block in enumerate(self.decoder):
            cache = None if caches is None else caches[i]
            context_cache = None if context_caches is None else context_caches[i]
            y, (weights, cross) = block(
                y, context=memory, context_mask=mask, causal=True, cache=cache,
                context_cache=context_cache, fused=not maps,
            )  # fmt: skip
            own.append(weights)  # (B, H, T, T)
            across.append(cross)  # (B, H, T, S)
            if states:
                passed.append(y)  # (B, T, D)
        W_U = self.target_embedding.weight if self.W_U is None else self.W_U.T
        logits = F.linear(self.decoder_norm(y), W_U, self.b_U)  # (B, T, V)
        return Output(
            logits,
            {"decoder": own, "cross": across} if maps else None,
            {"decoder": passed} if states else None,
        )

    def _tokens(
        self, table: nn.Embedding, positions: Positions, ids: Tensor, name: str, start: int = 0
    ) -> Tensor:
        """Embeddings with their places, ``(B, T, D)``."""
        x = look_up(table, ids, name)
        if self.config.scaled:
            x = x * self.config.d_model**0.5
        return F.dropout(positions.embed(x, start), self.config.dropout, self.training)

    def new_caches(self, longest: int | None = None) -> list[KeyValueCache]:
        """Empty caches for ``longest`` tokens, ``config.longest`` unless given; one a block."""
        longest = self.config.longest if longest is None else longest
        return [KeyValueCache(longest) for _ in self.decoder]

    def new_context_caches(self, source_length: int) -> list[KeyValueCache]:
        """Empty caches for the keys and values of a source of this length; one a block."""
        return [KeyValueCache(source_length) for _ in self.decoder]

    def count_parameters(self) -> int:
        """How many learned numbers there are; shared and tied embeddings count once."""
        return count_parameters(self)

    def flops(self, batch: int, source_length: int, target_length: int) -> int:
        """Operations of a forward pass over ``batch`` pairs of these lengths."""
        S, T = source_length, target_length
        encoder = sum(block_flops(block, S) for block in self.encoder)
        decoder = sum(block_flops(block, T, context=S) for block in self.decoder)
        unembed = product_flops(T, self.config.d_model, self.config.writes)
        return batch * (encoder + decoder + unembed)


class SinusoidalHalves(SinusoidalPositions):
    """The sinusoidal code with all sines first and then all cosines, as Marian orders them.

    A model can learn either equally well; a trained one needs the one it was trained with.

    Notes
    -----
    Vaswani et al. 2017, section 3.5, with the columns in another order.
    """

    def table(self, positions: Tensor, dtype: torch.dtype = torch.float32) -> Float[Tensor, "*N D"]:
        """The codes of these positions, one in a row."""
        alternating = super().table(positions, dtype)  # sin, cos, sin, cos, ...
        return torch.cat([alternating[..., 0::2], alternating[..., 1::2]], dim=-1)


def _positions(config: TransformerConfig) -> Positions:
    if config.positions == "learned":
        return LearnedPositions(config.longest, config.d_model)
    kind = SinusoidalHalves if config.positions == "sinusoidal_halves" else SinusoidalPositions
    return kind(config.d_model)


def _block(config: TransformerConfig, *, cross: bool) -> Block:
    def attention() -> MultiHeadAttention:
        return MultiHeadAttention(config.d_model, config.heads, dropout=config.attention_dropout)

    return Block(
        attention(),
        FeedForward(config.d_model, config.d_ff, config.activation),
        config.norm,
        cross=attention() if cross else None,
        eps=config.eps,
        dropout=config.dropout,
    )
