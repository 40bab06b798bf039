"""Hand-written models of peers: the code that their libraries leave to the user."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class EncoderAsGPT(nn.Module):
    """``nn.TransformerEncoder`` with a causal mask, between an embedding and its transpose."""

    def __init__(self, vocabulary: int, longest: int, layers: int, heads: int, d_model: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.places = nn.Parameter(0.02 * torch.randn(longest, d_model))
        layer = nn.TransformerEncoderLayer(
            d_model, heads, 4 * d_model, dropout=0.0, activation="gelu",
            batch_first=True, norm_first=True,
        )  # fmt: skip
        self.stack = nn.TransformerEncoder(
            layer, layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False
        )
        self.register_buffer("hidden", nn.Transformer.generate_square_subsequent_mask(longest))

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.shape[1]
        x = self.embedding(ids) + self.places[:T]
        x = self.stack(x, mask=self.hidden[:T, :T], is_causal=True)
        return x @ self.embedding.weight.T


class NanoGPT(nn.Module):
    """nanoGPT's model, written from its description: a GPT-2 without biases.

    One linear layer for queries, keys and values, the fused kernel with ``is_causal``, the exact
    GELU, learned positions, a tied head, and the loss inside the model.
    """

    def __init__(self, vocabulary: int, longest: int, layers: int, heads: int, d_model: int):
        super().__init__()
        self.heads = heads
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.places = nn.Embedding(longest, d_model)
        self.norm = nn.LayerNorm(d_model, bias=False)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_1": nn.LayerNorm(d_model, bias=False),
                    "qkv": nn.Linear(d_model, 3 * d_model, bias=False),
                    "out": nn.Linear(d_model, d_model, bias=False),
                    "norm_2": nn.LayerNorm(d_model, bias=False),
                    "up": nn.Linear(d_model, 4 * d_model, bias=False),
                    "down": nn.Linear(4 * d_model, d_model, bias=False),
                }
            )
            for _ in range(layers)
        )
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, std=0.02)
        self.head.weight = self.tokens.weight

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.shape
        x = self.tokens(ids) + self.places(torch.arange(T, device=ids.device))
        for part in self.blocks:
            q, k, v = part["qkv"](part["norm_1"](x)).split(x.shape[-1], dim=2)
            q, k, v = (y.view(B, T, self.heads, -1).transpose(1, 2) for y in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + part["out"](y.transpose(1, 2).contiguous().view(B, T, -1))
            x = x + part["down"](F.gelu(part["up"](part["norm_2"](x))))
        return self.head(self.norm(x))


class TorchTransformer(nn.Module):
    """``nn.Transformer`` between one embedding and its transpose, with sinusoids."""

    def __init__(self, vocabulary: int, layers: int, heads: int, d_model: int, longest: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.stack = nn.Transformer(
            d_model, heads, layers, layers, 4 * d_model, dropout=0.0, batch_first=True,
            norm_first=True,
        )  # fmt: skip
        angle = torch.arange(longest)[:, None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], -1).flatten(1))
        self.register_buffer("hidden", nn.Transformer.generate_square_subsequent_mask(longest))

    def embed(self, ids: Tensor) -> Tensor:
        return self.embedding(ids) * math.sqrt(self.places.shape[1]) + self.places[: ids.shape[1]]

    def forward(self, source: Tensor, source_hidden: Tensor, target: Tensor) -> Tensor:
        T = target.shape[1]
        x = self.stack(
            self.embed(source), self.embed(target), tgt_mask=self.hidden[:T, :T],
            src_key_padding_mask=source_hidden, memory_key_padding_mask=source_hidden,
            tgt_is_causal=True,
        )  # fmt: skip
        return x @ self.embedding.weight.T
