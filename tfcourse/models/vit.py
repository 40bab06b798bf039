"""The encoder that sees: an image cut into patches, each patch a token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from tfcourse.affine import affine
from tfcourse.arguments import OldNames, check_probability, one_of
from tfcourse.attention import MultiHeadAttention, draw_matrices
from tfcourse.layers import ACTIVATIONS, Block, FeedForward, LayerNorm
from tfcourse.models.checks import divides, sizes
from tfcourse.models.counting import block_flops, count_parameters, product_flops
from tfcourse.models.output import Output
from tfcourse.positions import LearnedPositions


@dataclass(frozen=True)
class ViTConfig(OldNames):
    """Sizes and choices of a :class:`ViT`; the defaults are those of ViT-B/16.

    Attributes
    ----------
    classes:
        Number of classes.
    image, patch:
        Side of the square image and of a square patch, in pixels; the patches must tile the image.
    channels:
        Numbers for each pixel.
    num_layers, num_heads, d_model:
        Number of blocks, of attention heads, and width of the tokens.
    d_ff:
        Width of the feed-forward layer; ``4 d_model`` unless given.
    activation, eps:
        Of the feed-forward layer, and of the normalisations.
    dropout:
        Share set to zero in training: of the tokens, of attention weights, and of what each part
        adds.
    """

    classes: int
    image: int = 224
    patch: int = 16
    channels: int = 3
    num_layers: int = 12
    num_heads: int = 12
    d_model: int = 768
    d_ff: int | None = None
    activation: str = "gelu"
    eps: float = 1e-12
    dropout: float = 0.0

    def __post_init__(self) -> None:
        sizes(
            classes=self.classes, image=self.image, patch=self.patch, channels=self.channels,
            num_layers=self.num_layers, num_heads=self.num_heads, d_model=self.d_model,
            d_ff=self.d_ff,
        )  # fmt: skip
        divides(self.num_heads, self.d_model)
        one_of(ACTIVATIONS, activation=self.activation)
        check_probability(dropout=self.dropout)
        if self.image % self.patch:
            raise ValueError(f"image must be divisible by patch={self.patch}, got {self.image}")

    @property
    def patches(self) -> int:
        """Number of patches, ``N``."""
        return (self.image // self.patch) ** 2


class ViT(nn.Module):
    r"""A stack of pre-norm blocks over the patches of an image and one token that stands for all.

    .. math:: h^0 = [c;\; x_1 W_P + b_P;\; \dots;\; x_N W_P + b_P] + P, \qquad
              \text{logits} = \operatorname{LN}(h^L)_0\, W + b

    Parameters
    ----------
    config:
        Sizes and choices.

    Attributes
    ----------
    W_P, b_P:
        ``(channels * patch * patch, D)`` and ``(D,)``: all numbers of a patch become one token.
    c:
        ``(D,)``, the first token, which is of no patch.
    W, b:
        ``(D, classes)`` and ``(classes,)``.

    Notes
    -----
    Dosovitskiy et al. 2021, section 3.1; UW "The Revolutionary Impact of Transformers".
    """

    def __init__(self, config: ViTConfig) -> None:
        super().__init__()
        self.config = config
        D = config.d_model
        self.W_P = nn.Parameter(torch.empty(config.channels * config.patch**2, D))
        self.b_P = nn.Parameter(torch.zeros(D))
        self.c = nn.Parameter(torch.empty(D))
        self.positions = LearnedPositions(config.patches + 1, D)
        self.blocks = nn.ModuleList(
            Block(MultiHeadAttention(D, config.num_heads, dropout=config.dropout),
                  FeedForward(D, config.d_ff, config.activation), "pre",
                  eps=config.eps, dropout=config.dropout)
            for _ in range(config.num_layers)
        )  # fmt: skip
        self.norm = LayerNorm(D, config.eps)
        self.W = nn.Parameter(torch.empty(D, config.classes))
        self.b = nn.Parameter(torch.zeros(config.classes))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        draw_matrices(self, partial(nn.init.normal_, std=0.02))
        nn.init.normal_(self.c, std=0.02)

    def forward(
        self,
        images: Float[Tensor, "B C X Y"],
        *,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Score the classes of each image.

        Parameters
        ----------
        images:
            ``(B, channels, image, image)``.
        return_weights:
            Whether to give the attention maps ``"self"``, each ``(B, H, N + 1, N + 1)`` with the
            class token first; this takes the explicit path instead of the fused one.
        return_states:
            Whether to give the hidden states ``"self"``, ``num_layers + 1`` of them,
            ``(B, N + 1, D)``.

        Returns
        -------
        output
            Logits ``(B, classes)``, and the maps and the states or ``None``.

        Raises
        ------
        ValueError
            If the images are of another size.
        """
        config = self.config
        if images.shape[1:] != (config.channels, config.image, config.image):
            raise ValueError(
                f"images must be (B, {config.channels}, {config.image}, {config.image}), "
                f"got {tuple(images.shape)}"
            )
        tokens = affine(patchify(images, config.patch), self.W_P, self.b_P)  # (B, N, D)
        x = torch.cat([self.c.expand(images.shape[0], 1, -1), tokens], dim=1)  # (B, N + 1, D)
        x = F.dropout(self.positions.embed(x), config.dropout, self.training)
        seen, passed = [], [x] if return_states else []
        for block in self.blocks:
            x, (weights,) = block(x, fused=not return_weights)
            seen.append(weights)
            if return_states:
                passed.append(x)
        logits = affine(self.norm(x[:, 0]), self.W, self.b)
        return Output(
            logits,
            {"self": seen} if return_weights else None,
            {"self": passed} if return_states else None,
        )

    def count_parameters(self) -> int:
        """How many learned numbers there are."""
        return count_parameters(self)

    def flops(self, batch: int) -> int:
        """Operations of a forward pass over ``batch`` images."""
        c = self.config
        cut_and_embed = product_flops(c.patches, c.channels * c.patch**2, c.d_model)
        blocks = sum(block_flops(block, c.patches + 1) for block in self.blocks)
        return batch * (cut_and_embed + blocks + product_flops(1, c.d_model, c.classes))


def patchify(images: Float[Tensor, "B C X Y"], patch: int) -> Float[Tensor, "B N CPP"]:
    """Patches row by row from the top left, each as one row of numbers: channel, row, column."""
    B, C, X, Y = images.shape
    rows = images.reshape(B, C, X // patch, patch, Y // patch, patch)
    return rows.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * patch**2)
