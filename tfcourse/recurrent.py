"""Recurrent networks: a state carried from token to token, and three cells that carry it.

Letters, here and throughout the package: ``B`` batch, ``T`` tokens, ``D`` width of a token; ``Dh``
is the width of the hidden state and ``L`` the number of layers times directions. Row vectors: ``x
W``, not ``W x``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from tfcourse.arguments import at_least_one, check_numbers, check_tensors, one_of
from tfcourse.attention import padding_mask

# The state of a cell: h, or h and c; and the states of L cells, stacked.
Hidden = Float[Tensor, "B Dh"]
CellState = Hidden | tuple[Hidden, Hidden]
State = Float[Tensor, "L B Dh"] | tuple[Float[Tensor, "L B Dh"], Float[Tensor, "L B Dh"]]


class RecurrentCell(nn.Module):
    """Base class of the cells: weights for the token, weights for the state, and a bias.

    The weights of several gates are side by side, a block of ``Dh`` columns for each. A custom cell
    defines ``gates``, ``forward`` and, if PyTorch computes the same, its ``kernel``. ``d_in`` and
    ``d_hidden`` are the widths of a token, ``D``, and of the hidden state, ``Dh``. An ``x`` or
    ``state`` of the wrong shape raises ``ValueError``.

    Attributes
    ----------
    W, U, b:
        ``(D, gates * Dh)``, ``(Dh, gates * Dh)`` and ``(gates * Dh,)``.

    Notes
    -----
    The letters are those of UBC section 1.2, :math:`h_t = g(U h_{t-1} + W x_t + b_1)`: ``W``
    multiplies the token and ``U`` the state. 224N equation (4) swaps the two letters.
    """

    gates: ClassVar[int] = 1  # blocks of columns in W, U and b
    parts: ClassVar[int] = 1  # tensors in the state: h, or h and c
    kernel: Callable | None = None  # a subclass with another formula must override it

    def __init__(self, d_in: int, d_hidden: int) -> None:
        super().__init__()
        at_least_one(d_in=d_in, d_hidden=d_hidden)
        self.d_in, self.d_hidden = d_in, d_hidden
        self.W = nn.Parameter(torch.empty(d_in, self.gates * d_hidden))
        self.U = nn.Parameter(torch.empty(d_hidden, self.gates * d_hidden))
        self.b = nn.Parameter(torch.empty(self.gates * d_hidden))
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Reinitialise: ``W`` variance 1/D, ``U`` orthogonal (Saxe et al. 2014), biases zero."""
        nn.init.normal_(self.W, std=self.d_in**-0.5)
        for block in self.U.chunk(self.gates, dim=1):
            nn.init.orthogonal_(block)  # on its own it keeps the norm of a state
        for bias in (p for p in self.parameters() if p.dim() == 1):
            nn.init.zeros_(bias)

    def torch_weights(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """``weight_ih, weight_hh, bias_ih, bias_hh`` in PyTorch's layout, for its kernels."""
        # PyTorch adds two biases although one is enough: ours is their sum, so one here is zero.
        return self.W.T.contiguous(), self.U.T.contiguous(), self.b, torch.zeros_like(self.b)

    def start(self, x: Tensor, state: CellState | State | None, *shape: int) -> CellState | State:
        """The state to continue from: the given one, which must have this shape, or zeros."""
        if x.dim() != len(shape) or x.shape[-1] != self.d_in:
            axes = "B, T" if len(shape) == 3 else "B"
            raise ValueError(f"x must be ({axes}, d_in={self.d_in}), got {tuple(x.shape)}")
        if state is None:
            return _state([x.new_zeros(shape) for _ in range(self.parts)])
        given = state if isinstance(state, tuple) else (state,)
        got = [tuple(part.shape) for part in given]
        if got != [shape] * self.parts:
            form = "h" if self.parts == 1 else "(h, c)"
            raise ValueError(f"state must be {form} of shape {shape}, got {str(got)[1:-1]}")
        return _state(given)

    def extra_repr(self) -> str:
        """The widths, for ``print(module)``."""
        return f"d_in={self.d_in}, d_hidden={self.d_hidden}"


class RNNCell(RecurrentCell):
    """The plain recurrent cell: the next state is a function of the token and the last state.

    .. math:: h_t = g(x_t W + h_{t-1} U + b)

    As :class:`RecurrentCell`; the ``nonlinearity`` :math:`g` is ``"tanh"`` or ``"relu"``. From an
    ``nn.RNN``, ``W`` is ``weight_ih.T``, ``U`` is ``weight_hh.T`` and ``b`` is
    ``bias_ih + bias_hh``.

    Notes
    -----
    Elman 1990; UBC section 1.2; 224N section 1.2, equation (4), there without a bias.
    """

    def __init__(self, d_in: int, d_hidden: int, nonlinearity: str = "tanh") -> None:
        super().__init__(d_in, d_hidden)
        one_of(("tanh", "relu"), nonlinearity=nonlinearity)
        self.g = getattr(torch, nonlinearity)
        self.kernel = getattr(torch, f"rnn_{nonlinearity}")

    def forward(self, x: Float[Tensor, "B D"], state: Hidden | None = None) -> Hidden:
        """The next ``h`` ``(B, Dh)``, from ``x`` ``(B, D)`` and the last ``h`` (default zeros)."""
        h = self.start(x, state, len(x), self.d_hidden)
        assert isinstance(h, Tensor)  # and not (h, c)
        return self.g(x @ self.W + h @ self.U + self.b)  # h_t = g(x_t W + h_{t-1} U + b)


class GRUCell(RecurrentCell):
    r"""The gated recurrent unit: a gate decides how much of the last state is kept.

    .. math::
        r &= \sigma(x_t W_r + h_{t-1} U_r + b_r) \qquad
        z = \sigma(x_t W_z + h_{t-1} U_z + b_z) \\
        n &= \tanh\!\big(x_t W_n + b_n + r \odot (h_{t-1} U_n + b_{hn})\big) \\
        h_t &= (1 - z) \odot n + z \odot h_{t-1}

    Sizes and errors are those of :class:`RecurrentCell`.

    Attributes
    ----------
    W, U, b:
        ``(D, 3 Dh)``, ``(Dh, 3 Dh)`` and ``(3 Dh,)``, in the order r, z, n: reset, update, new.
    b_hn:
        ``(Dh,)``, a bias inside the reset gate. From an ``nn.GRU``: ``weight_ih.T``,
        ``weight_hh.T``, ``bias_ih`` plus the first two thirds of ``bias_hh``, and its last third.

    Notes
    -----
    Cho et al. 2014, but with the reset gate after the product with :math:`U_n`, as in cuDNN and
    PyTorch: there it is :math:`(r \odot h_{t-1}) U_n`, another function. UBC section 1.2.
    """

    gates = 3
    kernel = torch.gru

    def __init__(self, d_in: int, d_hidden: int) -> None:
        super().__init__(d_in, d_hidden)
        self.b_hn = nn.Parameter(torch.zeros(d_hidden))

    def torch_weights(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """As in :class:`RecurrentCell`; ``b_hn`` is the last third of ``bias_hh``."""
        weight_ih, weight_hh, bias_ih, zeros = super().torch_weights()
        return weight_ih, weight_hh, bias_ih, torch.cat([zeros[: -self.d_hidden], self.b_hn])

    def forward(self, x: Float[Tensor, "B D"], state: Hidden | None = None) -> Hidden:
        """The next ``h`` ``(B, Dh)``, from ``x`` ``(B, D)`` and the last ``h`` (default zeros)."""
        h = self.start(x, state, len(x), self.d_hidden)
        assert isinstance(h, Tensor)  # and not (h, c)
        x_r, x_z, x_n = (x @ self.W + self.b).chunk(3, dim=-1)
        h_r, h_z, h_n = (h @ self.U).chunk(3, dim=-1)
        r = torch.sigmoid(x_r + h_r)  # reset: how much of the past the new state sees
        z = torch.sigmoid(x_z + h_z)  # update: how much of the past is kept
        n = torch.tanh(x_n + r * (h_n + self.b_hn))
        return (1 - z) * n + z * h  # h_t = (1 - z) n + z h_{t-1}


class LSTMCell(RecurrentCell):
    r"""Long short-term memory: a cell state that is only scaled and added to, controlled by gates.

    .. math::
        i &= \sigma(x_t W_i + h_{t-1} U_i + b_i) \qquad
        f = \sigma(x_t W_f + h_{t-1} U_f + b_f) \\
        g &= \tanh(x_t W_g + h_{t-1} U_g + b_g) \qquad
        o = \sigma(x_t W_o + h_{t-1} U_o + b_o) \\
        c_t &= f \odot c_{t-1} + i \odot g \qquad h_t = o \odot \tanh(c_t)

    Sizes and errors are those of :class:`RecurrentCell`.

    Attributes
    ----------
    W, U, b:
        ``(D, 4 Dh)``, ``(Dh, 4 Dh)`` and ``(4 Dh,)``, in the order i, f, g, o: input, forget, new,
        output. From an ``nn.LSTM``: ``weight_ih.T``, ``weight_hh.T`` and ``bias_ih + bias_hh``.

    Notes
    -----
    Hochreiter and Schmidhuber 1997, the forget gate by Gers et al. 2000. UBC section 1.2.
    """

    gates = 4
    parts = 2
    kernel = torch.lstm

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """As in :class:`RecurrentCell`, but forget gates with bias 1 (Jozefowicz et al. 2015)."""
        super().reset_parameters()
        self.b.chunk(self.gates)[1].fill_(1.0)

    def forward(
        self, x: Float[Tensor, "B D"], state: tuple[Hidden, Hidden] | None = None
    ) -> tuple[Hidden, Hidden]:
        """The next ``(h, c)``, each ``(B, Dh)``, from ``x`` and the last (default zeros)."""
        h, c = self.start(x, state, len(x), self.d_hidden)
        i, f, g, o = (x @ self.W + h @ self.U + self.b).chunk(4, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)  # c_t = f c_{t-1} + i g
        return torch.sigmoid(o) * torch.tanh(c), c  # h_t = o tanh(c_t)


class Recurrent(nn.Module):
    """A cell run along sequences, in layers, in one direction or both.

    Each layer reads the outputs of the one below; those of two directions are concatenated.

    Parameters
    ----------
    cell, d_in, d_hidden:
        ``cell(d_in, d_hidden)`` is called for each layer and direction: one of the classes above,
        or for example ``partial(RNNCell, nonlinearity="relu")``. The widths are those of a token,
        ``D``, and of each cell's hidden state, ``Dh``.
    num_layers, bidirectional:
        Number of layers, and whether each has a second cell that reads backwards.
    dropout:
        Dropout probability between layers, in training.

    Attributes
    ----------
    cells:
        ``L = layers * directions`` cells: layer by layer, forward before backward. So PyTorch's
        ``weight_ih_l1_reverse`` goes to ``cells[3]``; see the cell for the mapping.
    d_out:
        Width of the outputs, ``directions * Dh``.

    Notes
    -----
    UBC section 1.2; 224N section 1.2; UW "Recall RNNs". Equal to PyTorch's, packed or not.
    """

    def __init__(
        self,
        cell: Callable[[int, int], RecurrentCell],
        d_in: int,
        d_hidden: int,
        num_layers: int = 1,
        bidirectional: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        at_least_one(d_in=d_in, d_hidden=d_hidden, num_layers=num_layers)
        check_numbers(dropout=dropout)
        self.num_layers, self.directions = num_layers, 1 + bidirectional
        self.d_hidden, self.d_out = d_hidden, self.directions * d_hidden
        widths = [d_in] * self.directions + [self.d_out] * self.directions * (num_layers - 1)
        cells = [cell(width, d_hidden) if callable(cell) else None for width in widths]
        if not isinstance(cells[0], RecurrentCell):
            raise ValueError(f"cell must be RNNCell, GRUCell, LSTMCell or make one, got {cell!r}")
        self.cells = nn.ModuleList(cells)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        lengths: Int[Tensor, " B"] | None = None,
        state: State | None = None,
        *,
        fused: bool = False,
    ) -> tuple[Float[Tensor, "B T Dout"], State]:
        """Read each sequence from its first to its last real token, and backwards from there.

        The outputs are zero at the padding. The returned state, in the form of the argument
        ``state``, is that of each cell after the last token it read; an empty sequence keeps its
        initial state. Mismatched arguments raise ``ValueError``.

        Parameters
        ----------
        x, lengths:
            Tokens, with ``T`` at least 1, and how many of each sequence are real, which come first;
            default all. The content of the padding does not matter.
        state:
            Initial state of each cell, in the order of ``cells``: ``h`` of shape ``(L, B, Dh)``,
            for the LSTM ``(h, c)`` of two such; default zeros.
        fused:
            ``False`` loops over time with the cells. ``True`` hands the same computation to
            PyTorch's kernels; only the random choices of ``dropout`` differ. Under autocast on a
            CPU without an LSTM kernel for its dtype, an LSTM runs in the dtype of its weights.
        """
        check_tensors(x=x, lengths=lengths)
        first = next(self.each_cell())
        state = first.start(x, state, len(self.cells), len(x), self.d_hidden)
        if x.shape[1] < 1:
            raise ValueError(f"x must have at least 1 token, got {tuple(x.shape)}")
        if lengths is not None and lengths.shape != x.shape[:1]:
            raise ValueError(f"lengths must be ({len(x)},), got {tuple(lengths.shape)}")
        run = self._fused if fused else self._loop
        if lengths is None:
            return run(x, state, None)
        real = padding_mask(lengths, x.shape[1]).transpose(1, 2).to(x.device)  # (B, T, 1)
        # The padding is cleared first: even an unused NaN in it would reach the gradients.
        outputs, state = run(x.masked_fill(~real, 0.0), state, real)
        return outputs.masked_fill(~real, 0.0), state

    def each_cell(self) -> Iterator[RecurrentCell]:
        """The cells in order."""
        return (cell for cell in self.cells if isinstance(cell, RecurrentCell))

    def _loop(self, x: Tensor, state: State, real: Tensor | None) -> tuple[Tensor, State]:
        """Layer by layer, in each direction along time."""
        last: list[CellState] = []
        cells = list(self.each_cell())
        for layer in range(self.num_layers):
            if layer > 0:
                x = self.dropout(x)
            outputs = []
            for backwards in (False, True)[: self.directions]:
                n = len(last)  # which of the L cells
                start = _each(lambda h, n=n: h[n], state)
                output, end = _along_time(cells[n], x, start, real, backwards)
                outputs.append(output)
                last.append(end)
            x = torch.cat(outputs, dim=-1)  # (B, T, d_out)
        return x, _each(lambda *h: torch.stack(h), *last)

    def _fused(self, x: Tensor, state: State, real: Tensor | None) -> tuple[Tensor, State]:
        """All layers and directions in one call of PyTorch's kernel."""
        first, *_ = cells = list(self.each_cell())
        kernel = first.kernel
        if kernel is None:
            raise ValueError(f"fused must be False: {type(first).__name__} has no kernel")
        if kernel is torch.lstm and _autocast_fails(x.device):
            with torch.autocast(x.device.type, enabled=False):
                x, state = x.to(first.W.dtype), _each(lambda h: h.to(first.W.dtype), state)
                return self._fused(x, state, real)
        weights = [weight for cell in cells for weight in cell.torch_weights()]
        if x.is_cuda:
            weights = _one_buffer(weights)
        dropout = self.dropout.p if self.dropout.training else 0.0
        # Even in eval mode cuDNN must be told that it trains, or it computes no gradient.
        settings = (True, self.num_layers, dropout, torch.is_grad_enabled(), self.directions == 2)
        if real is None:
            outputs, *last = kernel(x, _each(Tensor.contiguous, state), weights, *settings, True)
            return outputs, _state(last)
        lengths = real.sum(dim=(1, 2))
        # PyTorch cannot pack an empty sequence: it gets one zero token, and its state is restored.
        packed = pack_padded_sequence(x, lengths.clamp(min=1).cpu(), True, enforce_sorted=False)
        sorted_state = _each(lambda h: h[:, packed.sorted_indices], state)
        outputs, *last = kernel(packed.data, packed.batch_sizes, sorted_state, weights, *settings)
        packed = PackedSequence(outputs, *packed[1:])
        outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])
        last = _each(lambda h: h[:, packed.unsorted_indices], _state(last))
        return outputs, _each(lambda h, h_0: h.where(lengths[:, None] > 0, h_0), last, state)


def _along_time(
    cell: RecurrentCell, x: Tensor, state: CellState, real: Tensor | None, backwards: bool
) -> tuple[Tensor, CellState]:
    """Run a cell over the tokens: its outputs ``(B, T, Dh)`` and the state it ends in."""
    times = range(x.shape[1])
    outputs = {}
    for t in reversed(times) if backwards else times:
        last, state = state, cell(x[:, t], state)
        if real is not None:
            # In the padding a state stays unchanged: forward after the last token, backward before
            # it, so that each sequence begins at its own last token.
            state = _each(lambda h, old, t=t: h.where(real[:, t], old), state, last)
        outputs[t] = state[0] if isinstance(state, tuple) else state  # h is the output
    return torch.stack([outputs[t] for t in times], dim=1), state


def _each(function: Callable[..., Tensor], *states: CellState | State) -> CellState | State:
    """Apply a function to ``h``, or to ``h`` and ``c``, of one or several states."""
    if isinstance(states[0], tuple):
        h, c = (function(*part) for part in zip(*states, strict=True))
        return h, c
    return function(*states)


def _state(tensors: Sequence[Tensor]) -> CellState | State:
    """The parts of a state as a state: ``h``, or ``(h, c)``."""
    return tensors[0] if len(tensors) == 1 else (tensors[0], tensors[1])


def _autocast_fails(device: torch.device) -> bool:
    """Whether autocast is on, in a dtype for which this device has no LSTM."""
    if device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return False
    if torch.compiler.is_compiling():  # the trial cannot be traced
        return False
    return not _cpu_has_lstm(torch.get_autocast_dtype("cpu"))


@cache
def _cpu_has_lstm(dtype: torch.dtype) -> bool:
    """Whether an LSTM can be trained in ``dtype`` under autocast on this machine's CPU."""
    # PyTorch casts for oneDNN without asking it, and oneDNN's kernels depend on the processor: for
    # bfloat16 it needs AVX-512. Of the recurrent kernels only the LSTM is oneDNN's.
    with torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", dtype):
        x, h, *weights = (
            torch.zeros(shape, dtype=torch.float32, device="cpu", requires_grad=True)
            for shape in ((1, 1, 1), (1, 1, 1), (4, 1), (4, 1), (4,), (4,))
        )
        try:
            outputs, *_ = torch.lstm(x, (h, h), weights, True, 1, 0.0, True, False, True)
            torch.autograd.grad(outputs.sum(), x)
        except RuntimeError:
            return False
    return True


def _one_buffer(weights: list[Tensor]) -> list[Tensor]:
    """The weights in one buffer, matrices before biases: otherwise cuDNN would copy and warn."""
    order = sorted(range(len(weights)), key=lambda i: weights[i].dim() == 1)
    buffer = torch.cat([weights[i].reshape(-1) for i in order])
    pieces = dict(zip(order, buffer.split([weights[i].numel() for i in order]), strict=True))
    return [pieces[i].view(weight.shape) for i, weight in enumerate(weights)]
