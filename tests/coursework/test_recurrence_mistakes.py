"""Each message about a mistake is told of that mistake, and never of the right answer."""

import pytest
import torch
from telling import told_of_other_mistakes
from torch import nn

from coursework.mistakes import recurrence as mistakes
from tfcourse.recurrent import LSTMCell, Recurrent, RNNCell

DOUBLE = {"dtype": torch.float64}


def weights_of(cell, generator):
    """Random weights of a cell, which are loaded into it."""
    drawn = {
        name: torch.randn(p.shape, generator=generator, **DOUBLE)
        for name, p in cell.named_parameters()
    }
    cell.double().load_state_dict(drawn)
    return drawn["W"], drawn["U"], drawn["b"]


@pytest.mark.parametrize("d", [3, 4])
def test_no_mistake_of_states_is_right(generator, d):
    net = Recurrent(RNNCell, d, 4)
    weights = weights_of(net.cells[0], generator)
    x, h = (torch.randn(s, generator=generator, **DOUBLE) for s in ((2, 5, d), (2, 4)))
    right = net(x, state=h[None])[0].detach()
    found = mistakes.state_mistakes(x, h, *weights)
    assert told_of_other_mistakes(found, right) == {}
    assert len(found) == 19 + (d == 4)


def test_no_mistake_of_an_lstm_is_right(generator):
    cell = LSTMCell(3, 4)
    weights = weights_of(cell, generator)
    x, h, c = (torch.randn(2, n, generator=generator, **DOUBLE) for n in (3, 4, 4))
    right = tuple(part.detach() for part in cell(x, (h, c)))
    found = mistakes.lstm_mistakes(x, h, c, *weights)
    assert told_of_other_mistakes(found, right, ("h", "c")) == {}
    assert len(found) == 26 + 23


def test_no_mistake_of_going_back_through_time_is_right(generator):
    net = Recurrent(RNNCell, 3, 4)
    weights = weights_of(net.cells[0], generator)
    x, G = (torch.randn(5, n, generator=generator, **DOUBLE) for n in (3, 4))
    x.requires_grad_()
    cell = net.cells[0]
    right = torch.autograd.grad(net(x[None])[0][0], (x, cell.W, cell.U, cell.b), G)
    found = mistakes.through_time_mistakes(x.detach(), *weights, G)
    assert told_of_other_mistakes(found, right, ("x", "W", "U", "b")) == {}


@pytest.mark.parametrize("c", [0.5, 1e4])
def test_no_mistake_of_clipping_is_right(generator, c):
    gradients = [torch.randn(s, generator=generator, **DOUBLE) for s in ((2, 3), (4,), ())]
    parameters = [nn.Parameter(g.clone()) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    norm = nn.utils.get_total_norm(gradients)
    nn.utils.clip_grads_with_norm_(parameters, c, norm)
    close_to_right = tuple(p.grad for p in parameters)
    right = tuple(g * min(1.0, c / norm.item()) for g in gradients)
    assert all(map(lambda a, b: torch.allclose(a, b, rtol=1e-5), close_to_right, right))
    found = mistakes.clipping_mistakes(gradients, c)
    assert told_of_other_mistakes(found, right, ("1", "2", "3")) == {}


def test_clipping_zeros_has_no_mistake_that_is_nan():
    found = mistakes.clipping_mistakes([torch.zeros(2), torch.zeros(1)], 1.0)
    assert all(g.isfinite().all() for wrong in found.values() for g in wrong)
