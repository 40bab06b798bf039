"""What recurrent networks reject, as a user sees it."""

import importlib.util

import pytest
import torch

import tfcourse.recurrent


@pytest.fixture(scope="module")
def unchecked():
    """The module as a user has it, without the run-time shape checks that the tests add."""
    spec = importlib.util.spec_from_file_location("plain", tfcourse.recurrent.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def z(*shape):
    return torch.zeros(shape)


def whole(*numbers):
    return torch.tensor(numbers)


def gru(module):
    return module.Recurrent(module.GRUCell, 3, 4, num_layers=2, bidirectional=True)


def without_kernel(module):
    return type("Mine", (module.GRUCell,), {"kernel": None})


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda m: m.RNNCell(0, 4), "d_in must be at least 1, got 0"),
        (lambda m: m.GRUCell(3, -1), "d_hidden must be at least 1, got -1"),
        (lambda m: m.RNNCell(3, 4, "gelu"), "nonlinearity must be one of .*'relu'.*'gelu'"),
        (lambda m: m.RNNCell(3, 4)(z(2, 5)), r"x must be \(B, d_in=3\), got \(2, 5\)"),
        (lambda m: m.RNNCell(3, 4)(z(2, 7, 3)), r"x must be \(B, d_in=3\), got \(2, 7, 3\)"),
        (lambda m: m.RNNCell(3, 4)(z(2, 3), z(4)), r"h of shape \(2, 4\), got \(4,\)"),
        (lambda m: m.GRUCell(3, 4)(z(2, 3), z(3, 4)), r"h of shape \(2, 4\), got \(3, 4\)"),
        (lambda m: m.GRUCell(3, 4)(z(2, 3), (z(2, 4), z(2, 4))),
         r"h of shape \(2, 4\), got \(2, 4\), \(2, 4\)"),
        (lambda m: m.LSTMCell(3, 4)(z(2, 3), z(2, 4)), r"\(h, c\) of shape \(2, 4\), got \(2, 4\)"),
        (lambda m: m.Recurrent(m.GRUCell, 3, 4, 0), "num_layers must be at least 1, got 0"),
        (lambda m: m.Recurrent(m.GRUCell, 3, 0), "d_hidden must be at least 1, got 0"),
        (lambda m: m.Recurrent(m.GRUCell, 3, 4, dropout=1.5), "dropout probability .* got 1.5"),
        (lambda m: m.Recurrent("gru", 3, 4), "cell must be RNNCell, GRUCell.* got 'gru'"),
        (lambda m: m.Recurrent(torch.nn.Linear, 3, 4), "cell must be .* got <class .*Linear"),
        (lambda m: gru(m)(z(2, 5, 4)), r"x must be \(B, T, d_in=3\), got \(2, 5, 4\)"),
        (lambda m: gru(m)(z(5, 3)), r"x must be \(B, T, d_in=3\), got \(5, 3\)"),
        (lambda m: gru(m)(z(2, 0, 3)), r"x must have at least 1 token, got \(2, 0, 3\)"),
        (lambda m: gru(m)(z(2, 5, 3), whole(5)), r"lengths must be \(2,\), got \(1,\)"),
        (lambda m: gru(m)(z(2, 5, 3), whole(5, 6)), "lengths must lie between 0 and S=5"),
        (lambda m: gru(m)(z(2, 5, 3), whole(-1, 5)), "lengths must lie between 0 and S=5"),
        (lambda m: gru(m)(z(2, 5, 3), None, z(1, 2, 4)),
         r"h of shape \(4, 2, 4\), got \(1, 2, 4\)"),
        (lambda m: m.Recurrent(m.LSTMCell, 3, 4)(z(2, 5, 3), None, (z(1, 2, 4), z(2, 2, 4))),
         r"\(h, c\) of shape \(1, 2, 4\), got \(1, 2, 4\), \(2, 2, 4\)"),
        (lambda m: m.Recurrent(without_kernel(m), 3, 4)(z(2, 5, 3), fused=True),
         "fused must be False: Mine has no kernel"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(call, told, unchecked):
    with pytest.raises(ValueError, match=told):
        call(unchecked)
