"""A vision transformer: an encoder over an image cut into patches, each patch a token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn

from tfcourse.arguments import check_tensors
from tfcourse.attention import affine
from tfcourse.layers import LayerNorm
from tfcourse.models.common import Config, Model, Output, draw_matrices, encoder_blocks, through
from tfcourse.positions import LearnedPositions


@dataclass(frozen=True)
class ViTConfig(Config):
    """Sizes and choices of a :class:`ViT`; the defaults are those of ViT-B/16.

    Attributes
    ----------
    classes:
        Number of classes.
    image, patch:
        Side of the square image and of a square patch, in pixels; the patches must tile the image.
    channels:
        Number of channels per pixel.
    num_layers, num_heads, d_model, d_ff:
        Numbers of blocks and attention heads, and widths of the tokens and of the feed-forward
        layer (default ``4 d_model``).
    activation, eps:
        Activation of the feed-forward layer, and epsilon of the normalisations.
    dropout:
        Dropout in training, applied to the tokens, the attention weights and the output of each
        part.
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
        super().__post_init__()
        if self.image % self.patch:
            raise ValueError(f"image must be divisible by patch={self.patch}, got {self.image}")

    @property
    def patches(self) -> int:
        """Number of patches, ``N``."""
        return (self.image // self.patch) ** 2


class ViT(Model):
    r"""A stack of pre-norm blocks over the patches of an image and a class token.

    .. math:: h^0 = [c;\; x_1 W_P + b_P;\; \dots;\; x_N W_P + b_P] + P, \qquad
              \text{logits} = \operatorname{LN}(h^L)_0\, W + b

    Attributes
    ----------
    W_P, b_P:
        ``(channels * patch * patch, D)`` and ``(D,)``: they map the flattened patch to a token.
    c:
        ``(D,)``, the class token, which comes first.
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
        self.blocks = encoder_blocks(config, "pre")
        self.norm = LayerNorm(D, config.eps)
        self.W = nn.Parameter(torch.empty(D, config.classes))
        self.b = nn.Parameter(torch.zeros(config.classes))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the weights."""
        draw_matrices(self, partial(nn.init.normal_, std=0.02))
        nn.init.normal_(self.c, std=0.02)

    def forward(
        self,
        images: Float[Tensor, "B C X Y"],
        *,
        return_weights: bool = False,
        return_states: bool = False,
    ) -> Output:
        """Score the classes of each image, ``(B, classes)``.

        ``return_weights`` returns the maps ``"self"`` ``(B, H, N + 1, N + 1)`` with the class token
        first, by the explicit path through attention; ``return_states`` the ``num_layers + 1``
        hidden states ``(B, N + 1, D)``. Images of another size raise ``ValueError``.
        """
        config = self.config
        check_tensors(images=images)
        if images.shape[1:] != (config.channels, config.image, config.image):
            raise ValueError(
                f"images must be (B, {config.channels}, {config.image}, {config.image}), "
                f"got {tuple(images.shape)}"
            )
        tokens = affine(patchify(images, config.patch), self.W_P, self.b_P)  # (B, N, D)
        x = torch.cat([self.c.expand(images.shape[0], 1, -1), tokens], dim=1)  # (B, N + 1, D)
        x, seen, passed = through(
            self.blocks, self.drop(self.positions.embed(x)),
            return_weights=return_weights, return_states=return_states,
        )  # fmt: skip
        logits = affine(self.norm(x[:, 0]), self.W, self.b)
        return Output.of(logits, {"self": seen}, {"self": passed})


def patchify(images: Float[Tensor, "B C X Y"], patch: int) -> Float[Tensor, "B N CPP"]:
    """Patches row by row from the top left, each flattened in the order channel, row, column."""
    B, C, X, Y = images.shape
    rows = images.reshape(B, C, X // patch, patch, Y // patch, patch)
    return rows.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * patch**2)
