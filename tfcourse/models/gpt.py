"""A decoder-only model: GPT-2 and, with another config, Llama."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Int
from torch import Tensor, nn

from tfcourse.arguments import axes, check_shapes, one_of
from tfcourse.attention import KeyValueCache, MultiHeadAttention, affine
from tfcourse.layers import ACTIVATIONS, Block, FeedForward, LayerNorm, RMSNorm, SwiGLU
from tfcourse.models.common import Config, Model, Output, draw_matrices, held, look_up
from tfcourse.positions import (
    ALiBi,
    LearnedPositions,
    Positions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    Start,
    check_scaling,
)
from tfcourse.rolling_cache import RollingCache

#: The position schemes of a GPT; the two rotary ones differ in which coordinates form a pair.
POSITIONS = (
    "learned", "sinusoidal", "relative", "alibi", "rotary_interleaved", "rotary_halves", "none",
)  # fmt: skip


#: The normalisations of a GPT.
NORMS = {"layer": LayerNorm, "rms": RMSNorm}


@dataclass(frozen=True)
class GPTConfig(Config):
    """Sizes and choices of a :class:`GPT`; the defaults are those of the smallest GPT-2.

    Attributes
    ----------
    vocab_size:
        Vocabulary size, ``V``.
    context_length:
        The longest sequence in training. Learned positions are limited to it; others extrapolate.
    num_layers, num_heads, d_model:
        Number of blocks, number of attention heads, and model width.
    d_ff:
        Width of the feed-forward layer; default ``4 d_model``, ``8 d_model / 3`` with ``"swiglu"``.
    num_kv_heads, d_k:
        Number of key and value heads, which groups of heads share, and width of a head; default
        ``num_heads`` and ``d_model / num_heads``.
    positions:
        One of :data:`POSITIONS`.
    rotary_base, ntk, rotary_scaling, rotary_factor, rotary_original, rotary_dim:
        ``base``, ``ntk``, ``scaling``, ``factor``, ``original`` and ``rotary_dim`` of
        :class:`~tfcourse.positions.RotaryPositions`; ``original`` defaults to ``context_length``.
    window:
        How many tokens a query attends to, itself included; by default, all earlier ones.
    norm, eps:
        Normalisation before each part and at the end, ``"layer"`` or ``"rms"``; its epsilon.
    qk_norm:
        Whether each head's queries and keys are normalised too, before they are rotated.
    ffn:
        ``"swiglu"``, or the activation of :class:`~tfcourse.layers.FeedForward`.
    bias, tied:
        Whether attention and feed-forward layer have bias vectors; whether the unembedding is the
        embedding.
    scale_embeddings:
        Whether embeddings are multiplied by ``sqrt(d_model)``, as in 2017.
    dropout:
        Dropout in training, applied to the embeddings, the attention weights and the output of each
        part.
    """

    vocab_size: int
    context_length: int = 1024
    num_layers: int = 12
    num_heads: int = 12
    d_model: int = 768
    d_ff: int | None = None
    num_kv_heads: int | None = None
    d_k: int | None = None
    positions: str = "learned"
    rotary_base: float = 10_000.0
    ntk: float = 1.0
    norm: str = "layer"
    ffn: str = "gelu_tanh"
    eps: float = 1e-5
    bias: bool = True
    tied: bool = True
    scale_embeddings: bool = False
    dropout: float = 0.0
    rotary_scaling: str = "none"
    rotary_factor: float = 1.0
    rotary_original: int | None = None
    window: int | None = None
    rotary_dim: int | None = None
    qk_norm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(POSITIONS, positions=self.positions)
        one_of(NORMS, norm=self.norm)
        one_of((*ACTIVATIONS, "swiglu"), ffn=self.ffn)
        check_scaling(self.rotary_scaling, self.rotary_factor, self.original, self.ntk)
        if self.rotary_dim is not None and not self.positions.startswith("rotary_"):
            raise ValueError(
                f'rotary_dim must be None with positions="{self.positions}", got {self.rotary_dim}'
            )
        if self.num_heads % (self.num_kv_heads or 1):
            raise ValueError(
                f"num_kv_heads must divide num_heads={self.num_heads}, got {self.num_kv_heads}"
            )
        if self.ffn == "swiglu" and self.bias:
            raise ValueError('bias must be False with ffn="swiglu", which has no biases, got True')

    @property
    def original(self) -> int:
        """The original number of positions, before rotary scaling."""
        return self.context_length if self.rotary_original is None else self.rotary_original

    @classmethod
    def llama(cls, vocab_size: int, **choices: Any) -> GPTConfig:
        """Llama's config: RMSNorm, SwiGLU, rotary positions, no biases, an untied unembedding.

        ``choices`` are any of the other attributes.
        """
        form: dict[str, Any] = {
            "positions": "rotary_halves", "norm": "rms", "ffn": "swiglu", "eps": 1e-6,
            "bias": False, "tied": False,
        }  # fmt: skip
        return cls(vocab_size, **form | choices)


class GPT(Model):
    r"""A stack of causal pre-norm blocks that scores the next token.

    .. math:: h^0 = E_{x} + P, \qquad h^{l} = \operatorname{Block}_l(h^{l-1}), \qquad
              \text{logits} = \operatorname{LN}(h^L)\, W_U, \quad W_U = E^\top \text{ where tied}

    Padding at the end needs no mask: no real token sees it. Padding at the start, as in a batch of
    prompts of different lengths, needs ``mask`` and ``position_ids``.

    Attributes
    ----------
    embedding, W_U:
        ``embedding.weight`` is E, ``(V, D)``; ``W_U`` is ``(D, V)``, or ``None`` if tied.

    Notes
    -----
    Radford et al. 2019, section 2.3; 224N section 3.6; UW "The Transformer Decoder"; UBC section
    5.1 (unembedding). Llama: Touvron et al. 2023, section 2.2.
    """

    W_U: nn.Parameter | None

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        norm = NORMS[config.norm]
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = _added_to_tokens(config)
        self.blocks = nn.ModuleList(
            Block(_attention(config), _feed_forward(config), "pre",
                  make_norm=norm, eps=config.eps, dropout=config.dropout)
            for _ in range(config.num_layers)
        )  # fmt: skip
        self.norm = norm(config.d_model, config.eps)
        D, V = config.d_model, config.vocab_size
        self.W_U = None if config.tied else nn.Parameter(torch.empty(D, V))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights as GPT-2 does."""
        draw_matrices(self, partial(nn.init.normal_, std=0.02))
        for block in self.blocks:
            # 2L outputs are summed along the way: each is scaled down to keep the sum's size.
            for name, W in block.named_parameters():
                if name in ("attention.W_O", "ffn.W_2"):
                    nn.init.normal_(W, std=0.02 / (2 * len(self.blocks)) ** 0.5)

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        *,
        caches: Sequence[KeyValueCache] | None = None,
        mask: Bool[Tensor, "#B S"] | None = None,
        position_ids: Int[Tensor, "B T"] | None = None,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Score the next token at each position: logits ``(B, T, V)``.

        An id outside the vocabulary, a sequence past the last learned position, or caches or a mask
        that do not fit raise ``ValueError``.

        Parameters
        ----------
        caches:
            One for each block; the keys and values of ``tokens``, which follow the cached ones, are
            appended.
        mask:
            ``True`` for real tokens, ``False`` for padding; with caches, it covers the cached
            tokens too. A query that sees only padding gets zeros from attention.
        position_ids:
            Position of each token; by default they follow the cached ones. With padding at the
            start they are ``(mask.cumsum(1) - 1).clamp(min=0)``.
        return_weights, return_states:
            Whether to return the maps ``"self"`` ``(B, H, T, S)``, which takes the explicit path
            through attention, and the ``num_layers + 1`` hidden states ``(B, T, D)``.
        """
        start: Start = held(caches, len(self.blocks))
        x = look_up(self.embedding, tokens, "tokens")  # (B, T, D)
        if self.config.scale_embeddings:
            x = x * self.config.d_model**0.5
        if position_ids is not None:
            check_shapes(position_ids=(position_ids, tokens.shape))
            start = position_ids
        x = self.drop(self.positions.embed(x, start))
        if mask is not None:
            axes("mask", mask, "B S")
            mask = mask[:, None]  # the same for every query, (B, 1, S)
        seen: list[Tensor] = []
        passed = [x] if return_states else []
        for i, block in enumerate(self.blocks):
            x, (weights,) = block(
                x, mask, causal=True, cache=None if caches is None else caches[i],
                position_ids=position_ids, fused=not return_weights,
            )  # fmt: skip
            if weights is not None:
                seen.append(weights)  # (B, H, T, S)
            if return_states:
                passed.append(x)  # (B, T, D)
        x = self.norm(x)
        E = self.embedding.weight  # (V, D)
        logits = F.linear(x, E) if self.W_U is None else affine(x, self.W_U)  # x E^T or x W_U
        return Output.of(logits, {"self": seen}, {"self": passed})

    def new_caches(self, max_length: int | None = None) -> list[KeyValueCache]:
        """Empty caches, one per block, for ``max_length`` tokens (default ``context_length``).

        With ``config.window`` they keep only that many recent tokens, and have no limit.
        """
        if self.config.window is not None:
            return [RollingCache(self.config.window) for _ in self.blocks]
        max_length = self.config.context_length if max_length is None else max_length
        return [KeyValueCache(max_length) for _ in self.blocks]


def _attention(config: GPTConfig) -> MultiHeadAttention:
    d_k = config.d_k or config.d_model // config.num_heads
    norm = NORMS[config.norm]
    return MultiHeadAttention(
        config.d_model, config.num_heads, num_kv_heads=config.num_kv_heads, d_k=d_k, d_v=d_k,
        bias=config.bias, dropout=config.dropout, positions=_met_in_attention(config, d_k),
        q_norm=norm(d_k, config.eps) if config.qk_norm else None,
        k_norm=norm(d_k, config.eps) if config.qk_norm else None,
        window=config.window,
    )  # fmt: skip


def _feed_forward(config: GPTConfig) -> FeedForward | SwiGLU:
    if config.ffn == "swiglu":
        return SwiGLU(config.d_model, config.d_ff)
    return FeedForward(config.d_model, config.d_ff, config.ffn, bias=config.bias)


def _added_to_tokens(config: GPTConfig) -> Positions:
    """The scheme that is added once to the tokens, or none."""
    if config.positions == "learned":
        return LearnedPositions(config.context_length, config.d_model)
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.d_model)
    return Positions()


def _met_in_attention(config: GPTConfig, d_k: int) -> Positions | None:
    """The scheme that each layer of attention applies, or none."""
    if config.positions == "relative":
        return RelativePositions(d_k)
    if config.positions == "alibi":
        return ALiBi(config.num_heads)
    if config.positions.startswith("rotary_"):
        pairing = config.positions.removeprefix("rotary_")
        return RotaryPositions(
            d_k, pairing, config.rotary_base, config.ntk,
            config.rotary_scaling, config.rotary_factor, config.original,
            rotary_dim=config.rotary_dim,
        )  # fmt: skip
    return None
