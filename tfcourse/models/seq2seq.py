"""Recurrent translation: an encoder reads, a decoder writes, with attention between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from tfcourse.alignment import AdditiveAttention, DotAttention
from tfcourse.arguments import one_of, same_batch
from tfcourse.attention import affine
from tfcourse.models.common import Config, Model, Output, look_up, real
from tfcourse.models.recurrent_lm import CELLS
from tfcourse.recurrent import Recurrent, State

#: How the decoder attends to the source: not at all, like Bahdanau's, or like one of Luong's.
ATTENTIONS = ("none", "additive", "dot", "general")


@dataclass(frozen=True)
class Seq2SeqConfig(Config):
    """Sizes and choices of a :class:`Seq2Seq`.

    Attributes
    ----------
    vocab_size, target_vocab_size:
        Source vocabulary size, and the target's, ``V``, which defaults to the same.
    d_model, d_hidden:
        Widths of the embeddings, ``D``, and of the hidden states, ``Dh``, of the decoder and of
        each direction of the encoder.
    num_layers, cell:
        Number of layers in each network, and their cell: ``"rnn"``, ``"gru"`` or ``"lstm"``.
    bidirectional:
        Whether the encoder reads in both directions.
    attention:
        One of :data:`ATTENTIONS`. ``"dot"`` compares states directly, so it needs a unidirectional
        encoder, whose states are as wide as the decoder's.
    feeding:
        Whether Luong's decoder is fed its last attentional state, as Bahdanau's is its context.
    dropout:
        Dropout in training, on the embeddings, between layers, and on the input of the logits.
    """

    vocab_size: int
    target_vocab_size: int | None = None
    d_model: int = 256
    d_hidden: int = 256
    num_layers: int = 1
    cell: str = "gru"
    bidirectional: bool = True
    attention: str = "additive"
    feeding: bool = False
    dropout: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(CELLS, cell=self.cell)
        one_of(ATTENTIONS, attention=self.attention)
        if self.attention == "dot" and self.bidirectional:
            raise ValueError(
                'bidirectional must be False with attention="dot", which needs source states as '
                'wide as the decoder\'s; "general" accepts both. Got True'
            )
        if self.feeding and self.attention not in ("dot", "general"):
            raise ValueError(
                f'feeding must be False with attention="{self.attention}": it is Luong\'s. Got True'
            )

    @property
    def writes(self) -> int:
        """Target vocabulary size, ``V``."""
        return self.vocab_size if self.target_vocab_size is None else self.target_vocab_size

    @property
    def d_memory(self) -> int:
        """Width of the source states, ``Dm``."""
        return self.d_hidden * (1 + self.bidirectional)


class DecoderState(NamedTuple):
    """What the decoder carries from one word to the next.

    Attributes
    ----------
    hidden:
        The state of its cells: ``h`` ``(num_layers, B, Dh)``, or ``(h, c)`` for the LSTM.
    memory:
        The source states ``(B, S, Dm)``; ``None`` without attention.
    mask:
        Which of them are real, ``(B, 1, S)``; ``None`` if all are.
    projected:
        Their part of Bahdanau's scores, ``(B, S, Dh)``, the same at each step; otherwise ``None``.
    fed:
        The last attentional state of Luong's decoder, ``(B, 1, Dh)``, if fed; otherwise ``None``.
    """

    hidden: State
    memory: Float[Tensor, "B S Dm"] | None = None
    mask: Bool[Tensor, "B 1 S"] | None = None
    projected: Float[Tensor, "B S Dh"] | None = None
    fed: Float[Tensor, "B 1 Dh"] | None = None

    def reorder(self, rows: Int[Tensor, " N"], *, same_source: bool = False) -> DecoderState:
        """These rows of the batch: beam search drops some hypotheses and duplicates others.

        With ``same_source`` each row's new hypothesis has the same source as its old one, so the
        source states need not be moved.
        """
        h, fed = self.hidden, self.fed
        hidden = (h[0][:, rows], h[1][:, rows]) if isinstance(h, tuple) else h[:, rows]
        moved = self._replace(hidden=hidden, fed=None if fed is None else fed[rows])
        if same_source:
            return moved
        source = self.memory, self.mask, self.projected
        memory, mask, projected = (None if x is None else x[rows] for x in source)
        return moved._replace(memory=memory, mask=mask, projected=projected)


class Seq2Seq(Model):
    r"""An encoder turns the source into states; a decoder starts from the last one and writes.

    With :math:`s_i` the decoder's top state, :math:`h_j` the source states and :math:`y_i` the
    embedding of the previous word, for each ``config.attention``:

    .. math::
        \text{none: } & s_i = f(y_i, s_{i-1}), \quad t_i = s_i \\
        \text{additive: } & c_i = \operatorname{attention}(s_{i-1}, h), \quad
            s_i = f([y_i; c_i], s_{i-1}), \quad
            t_i = \operatorname{maxout}([s_i; y_i; c_i]\, W_t) \\
        \text{dot, general: } & s_i = f(y_i, s_{i-1}), \quad
            c_i = \operatorname{attention}(s_i, h), \quad t_i = \tanh([c_i; s_i]\, W_t)

    and :math:`\text{logits}_i = t_i W_U + b_U`. With ``feeding``, the dot and general decoders read
    :math:`[y_i; t_{i-1}]`. In each layer the decoder starts from the encoder's last state; with two
    directions, from :math:`s_0 = \tanh([\overrightarrow{h}; \overleftarrow{h}]\, W_s + b_s)`.

    Attributes
    ----------
    source_embedding, target_embedding, encoder, decoder, attention:
        The parts: weights ``(vocab_size, D)`` and ``(V, D)``, two
        :class:`~tfcourse.recurrent.Recurrent`, and :class:`~tfcourse.alignment.AdditiveAttention`,
        :class:`~tfcourse.alignment.DotAttention` or ``None``.
    W_s, b_s:
        ``(parts, num_layers, 2 Dh, Dh)`` and ``(parts, num_layers, 1, Dh)``, or ``None`` with a
        unidirectional encoder. The LSTM has two parts; its ``c`` is unbounded, so it gets no tanh.
    W_t:
        ``(Dh + D + Dm, 2 D)`` with ``"additive"``: maxout takes the larger of each pair of columns;
        ``(Dm + Dh, Dh)`` with ``"dot"`` and ``"general"``; otherwise ``None``.
    W_U, b_U:
        ``(D, V)`` with ``"additive"``, otherwise ``(Dh, V)``; and ``(V,)``.

    Notes
    -----
    KA "Encoder-Decoder Models", "Encoder-Decoder Models With Attention". None: Sutskever et al.
    2014. Additive: Bahdanau et al. 2015, section 3 and appendix A; there :math:`s_0` comes from the
    backward direction only, so half of :math:`W_s` would be zero. Dot and general: Luong et al.
    2015, sections 3 (global attention) and 3.3 (input feeding).
    """

    W_t: nn.Parameter  #: ``None`` without attention.
    W_s: nn.Parameter  #: ``None``, and ``b_s`` too, if the encoder reads in one direction.
    b_s: nn.Parameter

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        self.config = config
        D, Dh, Dm, V = config.d_model, config.d_hidden, config.d_memory, config.writes
        cell, num_layers, kind = CELLS[config.cell], config.num_layers, config.attention
        self.source_embedding = nn.Embedding(config.vocab_size, D)
        self.target_embedding = nn.Embedding(V, D)
        self.encoder = Recurrent(cell, D, Dh, num_layers, config.bidirectional, config.dropout)
        d_in, W_t, d_out = D, None, Dh
        self.attention: AdditiveAttention | DotAttention | None = None
        if kind == "additive":
            d_in, d_out = D + Dm, D
            self.attention = AdditiveAttention(Dh, Dm)
            W_t = nn.Parameter(torch.empty(Dh + D + Dm, 2 * D))
        elif kind != "none":
            d_in = D + Dh if config.feeding else D
            self.attention = DotAttention(Dh, Dm, kind)
            W_t = nn.Parameter(torch.empty(Dm + Dh, Dh))
        self.decoder = Recurrent(cell, d_in, Dh, num_layers, dropout=config.dropout)
        self.register_parameter("W_t", W_t)
        two, parts = config.bidirectional, cell.parts
        W_s = nn.Parameter(torch.empty(parts, num_layers, 2 * Dh, Dh)) if two else None
        b_s = nn.Parameter(torch.empty(parts, num_layers, 1, Dh)) if two else None
        self.register_parameter("W_s", W_s)
        self.register_parameter("b_s", b_s)
        self.W_U = nn.Parameter(torch.empty(d_out, V))
        self.b_U = nn.Parameter(torch.empty(V))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise: matrices with variance 1/(their rows), embeddings with variance 1."""
        for part in (*self.encoder.each_cell(), *self.decoder.each_cell(), self.attention):
            if part is not None:
                part.reset_parameters()
        for table in (self.source_embedding, self.target_embedding):
            nn.init.normal_(table.weight)
        for W in (self.W_s, self.W_t, self.W_U):
            if W is not None:
                nn.init.normal_(W, std=W.shape[-2] ** -0.5)
        for b in (self.b_s, self.b_U):
            if b is not None:
                nn.init.zeros_(b)

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target_in: Int[Tensor, "B T"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        return_weights: bool = False,
        fused: bool = True,
    ) -> Output:
        """Score the next word at each position of the target, given the true previous words.

        ``target_in`` begins with the start token; its padding comes last and needs no lengths, as
        no word sees a later one. In each source the first ``source_lengths`` tokens are real, by
        default all. ``return_weights`` returns the maps ``"cross"``: one ``(B, 1, T, S)``, or none
        without attention. With ``fused``, PyTorch's kernels run the cells wherever no step waits
        for attention; ``False`` loops over time as the formulas do. Impossible ids and lengths
        raise ``ValueError``.
        """
        state = self.encode(source, source_lengths, fused=fused)
        return self.decode(target_in, state, return_weights=return_weights, fused=fused)[0]

    def encode(
        self,
        source: Int[Tensor, "B S"],
        source_lengths: Int[Tensor, " B"] | None = None,
        *,
        fused: bool = True,
    ) -> DecoderState:
        """Read the source; return the decoder's initial state. Arguments as in ``forward``."""
        x = look_up(self.source_embedding, source, "source")
        mask = real(source_lengths, source, "source_lengths")
        memory, last = self.encoder(self.drop(x), source_lengths, fused=fused)
        if self.W_s is not None:
            last = self._join_directions(last)
        if self.attention is None:
            return DecoderState(last)
        attention, feeding = self.attention, self.config.feeding
        return DecoderState(
            last,
            memory,
            mask,
            attention.project_keys(memory) if isinstance(attention, AdditiveAttention) else None,
            memory.new_zeros(len(memory), 1, self.config.d_hidden) if feeding else None,
        )

    def decode(
        self,
        target_in: Int[Tensor, "B T"],
        state: DecoderState,
        *,
        return_weights: bool = False,
        fused: bool = True,
    ) -> tuple[Output, DecoderState]:
        """Score the next word at each position of the target, continuing from a state.

        ``target_in`` follows the words that ``state``, from :meth:`encode` or an earlier call, has
        seen; the returned state is the one after these words. Other arguments as in
        :meth:`forward`.
        """
        y = self.drop(look_up(self.target_embedding, target_in, "target_in"))  # (B, T, D)
        hidden = state.hidden[0] if isinstance(state.hidden, tuple) else state.hidden  # (L, B, Dh)
        same_batch(target_in=target_in, state=hidden[0])
        # If each step needs the attention of the step before, the steps must run one by one.
        waits = self.config.attention == "additive" or self.config.feeding
        t: list[Tensor] = []
        seen: list[Tensor] = []
        for part in y.split(1, dim=1) if waits else [y]:
            read, weights, state = self._advance(part, state, fused)
            t.append(read)
            if weights is not None:
                seen.append(weights)
        logits = affine(self.drop(torch.cat(t, dim=1)), self.W_U, self.b_U)  # (B, T, V)
        if not return_weights:
            return Output(logits), state
        cross = [] if self.attention is None else [torch.cat(seen, dim=1)[:, None]]
        return Output(logits, {"cross": cross}), state

    def step(
        self, tokens: Int[Tensor, " B"], state: DecoderState, *, return_weights: bool = False
    ) -> tuple[Output, DecoderState]:
        """One more word: the logits ``(B, V)`` of what follows ``tokens`` ``(B,)``, and the state.

        The map, if requested, is ``(B, 1, 1, S)``. See :meth:`decode`.
        """
        output, state = self.decode(tokens[:, None], state, return_weights=return_weights)
        return output._replace(logits=output.logits[:, 0]), state

    def _advance(
        self, y: Tensor, state: DecoderState, fused: bool
    ) -> tuple[Tensor, Tensor | None, DecoderState]:
        """The source of the logits, ``(B, T, ...)``, the weights ``(B, T, S)``, the state."""
        fused = fused and y.shape[1] > 1  # for a single step a kernel gains nothing
        hidden, weights = state.hidden, None
        if isinstance(self.attention, AdditiveAttention):
            top = (hidden[0] if isinstance(hidden, tuple) else hidden)[-1]  # s_{i-1}   (B, Dh)
            c, weights = self.attention(
                top[:, None], state.memory, state.mask, projected=state.projected
            )
            s, hidden = self.decoder(torch.cat([y, c], dim=-1), state=hidden, fused=fused)
            t = (torch.cat([s, y, c], dim=-1) @ self.W_t).unflatten(-1, (-1, 2)).amax(-1)  # maxout
        elif isinstance(self.attention, DotAttention):
            x = y if state.fed is None else torch.cat([y, state.fed], dim=-1)
            s, hidden = self.decoder(x, state=hidden, fused=fused)  # (B, T, Dh)
            c, weights = self.attention(s, state.memory, state.mask)  # (B, T, Dm)
            t = torch.tanh(torch.cat([c, s], dim=-1) @ self.W_t)
        else:
            t, hidden = self.decoder(y, state=hidden, fused=fused)
        fed = None if state.fed is None else t
        return t, weights, state._replace(hidden=hidden, fed=fed)

    def _join_directions(
        self, last: Tensor | tuple[Tensor, Tensor]
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Turn the last states of the encoder's two directions into the decoder's first."""
        parts = last if isinstance(last, tuple) else (last,)
        joined = []
        for h, W, b in zip(parts, self.W_s, self.b_s, strict=True):
            both = torch.cat([h[0::2], h[1::2]], dim=-1)  # [forwards; backwards]  (layers, B, 2 Dh)
            joined.append(both @ W + b)
        joined[0] = torch.tanh(joined[0])
        return tuple(joined) if isinstance(last, tuple) else joined[0]
