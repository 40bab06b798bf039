"""Skip-gram: word vectors learned by predicting the words around a word."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import axes, check_tensors, tracing
from tfcourse.models.common import Config, Model, Output


@dataclass(frozen=True)
class SkipGramConfig(Config):
    """Sizes of a :class:`SkipGram`.

    Attributes
    ----------
    vocab_size, d_model:
        Vocabulary size, ``V``, and width of the vectors, ``D``.
    """

    vocab_size: int
    d_model: int = 100


class SkipGram(Model):
    r"""Each word has two vectors: one as the centre word, one as a context word.

    .. math:: p(o \mid c) = \softmax(x_c^\top W V)_o = \frac{\exp(w_c \cdot v_o)}
              {\sum_{o'} \exp(w_c \cdot v_{o'})}

    As :math:`x_c` is one-hot, :math:`x_c^\top W` only picks the row :math:`w_c` of ``W``,
    ``(vocab_size, D)``; ``V``, ``(D, vocab_size)``, has a column :math:`v_o` for each context word.

    Notes
    -----
    UCB "Dense vectors from prediction", "Word embeddings"; Mikolov et al. 2013a ("Efficient
    Estimation of Word Representations in Vector Space"), section 3.2. Negative sampling: Mikolov et
    al. 2013b ("Distributed Representations of Words and Phrases"), section 2.2.
    """

    def __init__(self, config: SkipGramConfig) -> None:
        super().__init__()
        self.config = config
        self.W = nn.Parameter(torch.empty(config.vocab_size, config.d_model))
        self.V = nn.Parameter(torch.empty(config.d_model, config.vocab_size))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw ``W`` within 1/(2D) and set ``V`` to zero, so that all words are equally likely."""
        nn.init.uniform_(self.W, -0.5 / self.config.d_model, 0.5 / self.config.d_model)
        nn.init.zeros_(self.V)

    def forward(self, centre: Int[Tensor, " B"]) -> Output:
        """Score every word as a context word of each centre word, ``(B, vocab_size)``."""
        axes("centre", centre, "B")
        self._check("centre", centre)
        return Output(F.embedding(centre, self.W) @ self.V)  # x^T W V

    def loss(
        self,
        centre: Int[Tensor, " B"],
        context: Int[Tensor, " B"],
        negatives: Int[Tensor, "B N"] | None = None,
    ) -> Float[Tensor, ""]:
        r"""Mean loss of predicting the context words, over the pairs.

        With the full softmax, and with ``N`` negatives :math:`n_1 \dots n_N` for each pair:

        .. math:: -\log p(o \mid c) \qquad\text{and}\qquad
                  -\log \sigma(w_c \cdot v_o) - \sum_i \log \sigma(-w_c \cdot v_{n_i})

        A pair is a word and one of the words around it. ``negatives`` are drawn at random, in the
        paper in proportion to their counts to the power 3/4; without them the full softmax is used.
        Ids outside the vocabulary and mismatched shapes raise ``ValueError``.
        """
        axes("centre", centre, "B")
        check_tensors(context=context, negatives=negatives)
        B = len(centre)
        if context.shape != (B,):
            raise ValueError(
                f"context must be ({B},), one for each centre, got {tuple(context.shape)}"
            )
        self._check("context", context)
        if negatives is None:
            return F.cross_entropy(self(centre).logits, context)
        if negatives.dim() != 2 or len(negatives) != B:
            raise ValueError(
                f"negatives must be ({B}, N), a row for each centre, got {tuple(negatives.shape)}"
            )
        self._check("centre", centre)
        self._check("negatives", negatives)
        w = F.embedding(centre, self.W)  # (B, D)
        words = torch.cat([context[:, None], negatives], dim=1)  # the true one first
        v = F.embedding(words, self.V.T)  # (B, 1 + N, D)
        scores = (v @ w[:, :, None]).squeeze(-1)  # w_c . v                     (B, 1 + N)
        true, drawn = scores[:, 0], scores[:, 1:]
        return -(F.logsigmoid(true) + F.logsigmoid(-drawn).sum(dim=1)).mean()

    def vectors(self) -> Float[Tensor, "V D"]:
        """The word vectors, one per row: ``W``, detached from the graph."""
        return self.W.detach()

    def _check(self, name: str, ids: Tensor) -> None:
        """Reject unknown ids; not on a GPU, where this would wait and CUDA asserts it itself."""
        if tracing() or ids.device.type != "cpu" or not ids.numel():
            return
        lowest, highest = int(ids.min()), int(ids.max())
        if lowest < 0 or highest >= self.config.vocab_size:
            raise ValueError(
                f"{name} must lie between 0 and {self.config.vocab_size - 1}, "
                f"got {lowest} to {highest}"
            )
