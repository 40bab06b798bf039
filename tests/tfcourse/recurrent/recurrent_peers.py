"""PyTorch's recurrent networks as the reference for ours: weights copied, results compared."""

import torch
from torch import nn

from tfcourse.recurrent import GRUCell, LSTMCell, RNNCell

#: What "equal" means for each precision.
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def make(kind, d_in, d_hidden):
    """A cell and PyTorch's, which has its own random weights."""
    if kind in ("tanh", "relu"):
        return RNNCell(d_in, d_hidden, kind), nn.RNNCell(d_in, d_hidden, nonlinearity=kind)
    ours, theirs = {"gru": (GRUCell, nn.GRUCell), "lstm": (LSTMCell, nn.LSTMCell)}[kind]
    return ours(d_in, d_hidden), theirs(d_in, d_hidden)


@torch.no_grad()
def take_weights(cell, weight_ih, weight_hh, bias_ih, bias_hh):
    """PyTorch's weights into a cell, as the docstrings say they map."""
    cell.W.copy_(weight_ih.T)
    cell.U.copy_(weight_hh.T)
    if isinstance(cell, GRUCell):
        n = 2 * cell.d_hidden
        cell.b.copy_(torch.cat([bias_ih[:n] + bias_hh[:n], bias_ih[n:]]))
        cell.b_hn.copy_(bias_hh[n:])
    else:
        cell.b.copy_(bias_ih + bias_hh)


def assert_same(ours, theirs, what):
    """Equal for their precision, relative to the largest number where that is above 1."""
    ours, theirs = ours.detach(), theirs.detach()
    scale = theirs.abs().max().clamp(min=1.0) if theirs.numel() else 1.0
    torch.testing.assert_close(
        ours / scale,
        theirs / scale,
        rtol=0,
        atol=TOLERANCE[theirs.dtype],
        msg=lambda message: f"{what}: {message}",
    )


def assert_same_gradients(cell, weight_ih, weight_hh, bias_ih, bias_hh):
    """The gradients of a cell's weights against those of PyTorch's."""
    assert_same(cell.W.grad.T, weight_ih.grad, "gradient of W")
    assert_same(cell.U.grad.T, weight_hh.grad, "gradient of U")
    assert_same(cell.b.grad, bias_ih.grad, "gradient of b")
    if isinstance(cell, GRUCell):
        assert_same(cell.b_hn.grad, bias_hh.grad[-cell.d_hidden :], "gradient of b_hn")
