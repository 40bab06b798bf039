"""PyTorch's recurrent networks with our weights, and whole models compared with them."""

import torch
from torch import nn

from tfcourse.recurrent import GRUCell, LSTMCell

#: What "equal" means for each precision.
TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}
NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def places(net):
    """Each of our cells with the end of PyTorch's names for it."""
    for i, cell in enumerate(net.cells):
        layer, backwards = divmod(i, net.directions)
        yield cell, f"_l{layer}{'_reverse' if backwards else ''}"


def twin(net):
    """``nn.RNN``, ``nn.GRU`` or ``nn.LSTM`` with the weights of a Recurrent, and no dropout."""
    first = net.cells[0]
    kind = {GRUCell: nn.GRU, LSTMCell: nn.LSTM}.get(type(first), nn.RNN)
    theirs = kind(
        first.d_in,
        net.d_hidden,
        net.num_layers,
        batch_first=True,
        bidirectional=net.directions == 2,
    ).to(first.W.dtype)
    with torch.no_grad():
        for cell, end in places(net):
            for name, weight in zip(NAMES, cell.torch_weights(), strict=True):
                getattr(theirs, name + end).copy_(weight)
    return theirs


def close(ours, theirs, what=""):
    """Equal for their precision, relative to the largest number where that is above 1."""
    ours, theirs = ours.detach(), theirs.detach()
    scale = theirs.abs().max().clamp(min=1.0) if theirs.numel() else 1.0
    torch.testing.assert_close(
        ours / scale, theirs / scale, rtol=0, atol=TOLERANCE[theirs.dtype],
        msg=lambda message: f"{what}: {message}",
    )  # fmt: skip


def same_gradients(net, theirs):
    """The gradients of a Recurrent and of its twin."""
    for cell, end in places(net):
        grad = {name: getattr(theirs, name + end).grad for name in NAMES}
        close(cell.W.grad.T, grad["weight_ih"], f"W{end}")
        close(cell.U.grad.T, grad["weight_hh"], f"U{end}")
        close(cell.b.grad, grad["bias_ih"], f"b{end}")
        if isinstance(cell, GRUCell):
            close(cell.b_hn.grad, grad["bias_hh"][-cell.d_hidden :], f"b_hn{end}")


def copies(model, *parts):
    """Leaves with the numbers of a model's parameters, but for those of the named parts."""
    return {
        name: p.detach().clone().requires_grad_()
        for name, p in model.named_parameters()
        if not name.startswith(parts)
    }


def same_as_copies(model, leaves):
    """The gradients of a model's parameters and of their copies."""
    for name, leaf in leaves.items():
        close(model.get_parameter(name).grad, leaf.grad, f"gradient of {name}")
