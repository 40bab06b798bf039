"""A recurrent language model: it reads token by token, and scores the next one."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from tfcourse.arguments import one_of
from tfcourse.attention import affine
from tfcourse.models.common import Config, Model, Output, look_up
from tfcourse.recurrent import GRUCell, LSTMCell, Recurrent, RecurrentCell, RNNCell, State

#: The cells that a model may be made of.
CELLS: dict[str, type[RecurrentCell]] = {"rnn": RNNCell, "gru": GRUCell, "lstm": LSTMCell}


@dataclass(frozen=True)
class RecurrentLMConfig(Config):
    """Sizes and choices of a :class:`RecurrentLM`.

    Attributes
    ----------
    vocab_size, d_model, d_hidden:
        Vocabulary size, ``V``, and widths of the embeddings, ``D``, and of the hidden states,
        ``Dh`` (default ``d_model``).
    num_layers:
        Number of recurrent layers.
    cell:
        One of :data:`CELLS`.
    tied:
        Whether the unembedding is the embedding, which requires ``d_hidden`` to be ``d_model``.
    dropout:
        Dropout in training, on the embeddings, between layers, and on the last layer's states.
    """

    vocab_size: int
    d_model: int = 256
    d_hidden: int | None = None
    num_layers: int = 1
    cell: str = "lstm"
    tied: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(CELLS, cell=self.cell)
        if self.tied and self.hidden != self.d_model:
            raise ValueError(
                f"d_hidden must be d_model={self.d_model} if the unembedding is tied, "
                f"got {self.d_hidden}"
            )

    @property
    def hidden(self) -> int:
        """Width of the hidden states, ``Dh``."""
        return self.d_model if self.d_hidden is None else self.d_hidden


class RecurrentLM(Model):
    r"""Carry a state from token to token, and score the next token from each state.

    .. math:: h_t = \operatorname{cell}(E_{x_t}, h_{t-1}), \qquad
              \text{logits}_t = h_t W_U + b_U, \quad W_U = E^\top \text{ where tied}

    Attributes
    ----------
    embedding:
        ``embedding.weight`` is E, ``(V, D)``.
    recurrent:
        The layers, a :class:`~tfcourse.recurrent.Recurrent`.
    W_U, b_U:
        ``(Dh, V)`` or ``None`` if tied, and ``(V,)``; UBC's :math:`V` and :math:`b_2`.

    Notes
    -----
    UBC section 1.2; 224N section 1.2, equation (4); Mikolov et al. 2010. Tying: Press and Wolf
    2017. Placement of dropout: Zaremba et al. 2014.
    """

    W_U: nn.Parameter | None

    def __init__(self, config: RecurrentLMConfig) -> None:
        super().__init__()
        self.config = config
        V, D, Dh = config.vocab_size, config.d_model, config.hidden
        self.embedding = nn.Embedding(V, D)
        self.recurrent = Recurrent(
            CELLS[config.cell], D, Dh, config.num_layers, dropout=config.dropout
        )
        self.W_U = None if config.tied else nn.Parameter(torch.empty(Dh, V))
        self.b_U = nn.Parameter(torch.empty(V))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise: embeddings with variance 1, or 1/D if tied."""
        for cell in self.recurrent.each_cell():
            cell.reset_parameters()
        # A tied embedding also scores: with variance 1 it would be overconfident at first.
        nn.init.normal_(
            self.embedding.weight, std=self.config.d_model**-0.5 if self.W_U is None else 1.0
        )
        if self.W_U is not None:
            nn.init.normal_(self.W_U, std=self.config.hidden**-0.5)
        nn.init.zeros_(self.b_U)

    def forward(
        self,
        tokens: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"] | None = None,
        state: State | None = None,
        *,
        fused: bool = True,
    ) -> Output:
        """Score the next token at each position: logits ``(B, T, V)``.

        In each row the first ``lengths`` tokens are real, by default all; logits at the padding
        have no meaning. ``state`` is what :meth:`read` returned for the preceding tokens. With
        ``fused``, PyTorch's kernels run the cells; ``False`` loops over time as the formula does.
        Impossible ids, lengths and states raise ``ValueError``.
        """
        return Output(self.read(tokens, lengths, state, fused=fused)[0])

    def read(
        self,
        tokens: Int[Tensor, "B T"],
        lengths: Int[Tensor, " B"] | None = None,
        state: State | None = None,
        *,
        fused: bool = True,
    ) -> tuple[Float[Tensor, "B T V"], State]:
        """The logits, and the state from which to read on: token by token, or a long text in parts.

        Arguments and errors are those of :meth:`forward`. The state is what the cells held after
        the last real token: ``h`` of shape ``(num_layers, B, Dh)``, or ``(h, c)`` for the LSTM.
        """
        x = self.drop(look_up(self.embedding, tokens, "tokens"))  # (B, T, D)
        h, state = self.recurrent(x, lengths, state, fused=fused)  # (B, T, Dh)
        W_U = self.embedding.weight.T if self.W_U is None else self.W_U  # (Dh, V)
        return affine(self.drop(h), W_U, self.b_U), state
