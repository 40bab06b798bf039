"""The small language model of characters in which the parts of a block are varied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from tfcourse import data
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward, LayerNorm
from tfcourse.models.common import Output
from tfcourse.positions import LearnedPositions
from tfcourse.tokenizers import CharTokenizer

WIDTH, HEADS, WINDOW = 32, 4, 32


def characters(corpus: str, quick: bool = False) -> tuple[CharTokenizer, Tensor]:
    """The characters of a corpus's training text, or of its beginning, and the text's ids."""
    text = data.load(corpus, "train").text[: 10_000 if quick else None]
    tokens = CharTokenizer.train([text])
    return tokens, torch.tensor(tokens.encode(text))


class WithoutResidual(Block):
    """A block in which each part replaces its input."""

    def _add(self, x: Tensor, out: Tensor) -> Tensor:
        return out


class Stack(nn.Module):
    """A language model of blocks: characters in, a score for each next character out.

    Parameters
    ----------
    vocabulary:
        Number of different characters.
    blocks:
        Number of blocks.
    order, make_norm:
        As for :class:`tfcourse.layers.Block`.
    kind:
        The blocks' class.
    ffn:
        Makes a feed-forward layer, given the width.
    init:
        Changes the blocks' initial weights; none by default.
    width, heads, window:
        Width, heads and context length.
    """

    def __init__(
        self,
        vocabulary: int,
        blocks: int,
        order: Literal["pre", "post"] = "pre",
        *,
        kind: type[Block] = Block,
        ffn: Callable[[int], nn.Module] = FeedForward,
        make_norm: Callable[[int, float], nn.Module] = LayerNorm,
        init: Callable[[nn.ModuleList], None] | None = None,
        width: int = WIDTH,
        heads: int = HEADS,
        window: int = WINDOW,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.positions = LearnedPositions(window, width)
        self.blocks = nn.ModuleList(
            kind(MultiHeadAttention(width, heads), ffn(width), order, make_norm=make_norm)
            for _ in range(blocks)
        )
        if init:
            init(self.blocks)
        # The output of the last block is normalised in either order.
        self.norm = make_norm(width, 1e-5) if order == "pre" else nn.Identity()
        self.read = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Output:
        """The scores of the next character at each place."""
        x = self.positions.embed(self.embedding(tokens))  # (B, T, D)
        for block in self.blocks:
            x, _ = block(x, causal=True, fused=True)
        return Output(self.read(self.norm(x)))  # (B, T, V)
