"""One step of each cell against PyTorch's, and the formula that each follows."""

import copy
import pickle

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_peers import TOLERANCE, assert_same, assert_same_gradients, make, take_weights

from tfcourse.recurrent import GRUCell, LSTMCell, RNNCell

sizes = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def seeded():
    """The same weights at every run."""
    torch.manual_seed(0)


@settings(max_examples=100, deadline=None)
@given(kind=st.sampled_from(["tanh", "relu", "gru", "lstm"]), B=sizes, D=sizes, Dh=sizes,
       seed=seeds, dtype=st.sampled_from(list(TOLERANCE)), started=st.booleans())  # fmt: skip
def test_a_step_equals_pytorchs(kind, B, D, Dh, seed, dtype, started):
    torch.manual_seed(seed)
    ours, theirs = (cell.to(dtype) for cell in make(kind, D, Dh))
    weights = theirs.weight_ih, theirs.weight_hh, theirs.bias_ih, theirs.bias_hh
    take_weights(ours, *weights)
    x = torch.randn(B, D, dtype=dtype)
    before = torch.randn(2, B, Dh, dtype=dtype).unbind() if started else None
    if started and kind != "lstm":
        before = before[0]
    got, expected = ours(x, before), theirs(x, before)
    if kind != "lstm":
        got, expected = (got,), (expected,)
    for name, a, b in zip("hc", got, expected, strict=False):
        assert_same(a, b, name)
        cotangent = torch.randn(B, Dh, dtype=dtype)
        (a * cotangent).sum().backward(retain_graph=True)
        (b * cotangent).sum().backward(retain_graph=True)
    assert_same_gradients(ours, *weights)


def test_the_plain_cell_is_the_lectures_formula(generator):
    """Row by row: h_t = g(U h_{t-1} + W x_t + b_1), with the matrices on the left."""
    cell = RNNCell(3, 2).double()
    x, h = (
        torch.randn(3, generator=generator).double(),
        torch.randn(2, generator=generator).double(),
    )
    expected = torch.tanh(cell.U.T @ h + cell.W.T @ x + cell.b)
    assert_same(cell(x[None], h[None])[0], expected, "h_t")


def test_the_lectures_hidden_size_question():
    """Inputs of 200 and a hidden size of 100: U is 100 by 100, the hidden output has 100."""
    cell = RNNCell(200, 100)
    assert (cell.W.shape, cell.U.shape) == ((200, 100), (100, 100))
    assert cell(torch.zeros(1, 200)).shape == (1, 100)


def test_the_reset_gate_acts_after_the_product(generator):
    """The published mix-up of the two GRUs: Cho's (r * h) U_n is another function."""
    cell = GRUCell(3, 4).double()
    x = torch.randn(2, 3, generator=generator).double()
    h = torch.randn(2, 4, generator=generator).double()
    (W_r, W_z, W_n), (U_r, U_z, U_n) = cell.W.chunk(3, 1), cell.U.chunk(3, 1)
    r, z = torch.sigmoid(x @ W_r + h @ U_r), torch.sigmoid(x @ W_z + h @ U_z)
    after, before = torch.tanh(x @ W_n + r * (h @ U_n)), torch.tanh(x @ W_n + (r * h) @ U_n)
    assert_same(cell(x, h), (1 - z) * after + z * h, "h_t")
    assert (after - before).abs().max() > 0.01


def test_gates_at_their_ends_keep_or_replace():
    """An update gate at 1 keeps h; a forget gate at 1 and an input gate at 0 keep c."""
    x, h, c = torch.randn(3, 2, 4).unbind()
    with torch.no_grad():
        gru, lstm = GRUCell(4, 4), LSTMCell(4, 4)
        gru.b.chunk(3)[1].fill_(100.0)
        lstm.b.chunk(4)[0].fill_(-100.0)
        lstm.b.chunk(4)[1].fill_(100.0)
        assert torch.equal(gru(x, h), h)
        assert torch.equal(lstm(x, (h, c))[1], c)


@pytest.mark.parametrize(("kind", "blocks"), [("tanh", 1), ("gru", 3), ("lstm", 4)])
def test_how_weights_are_drawn(kind, blocks):
    torch.manual_seed(0)
    cell, _ = make(kind, 400, 50)
    assert cell.W.std().item() == pytest.approx(1 / 20, rel=0.05)
    for U in cell.U.detach().double().chunk(blocks, dim=1):
        torch.testing.assert_close(U @ U.T, torch.eye(50).double(), rtol=0, atol=1e-5)
    bias = torch.zeros(blocks, 50)
    if kind == "lstm":
        bias[1] = 1  # of i, f, g, o the forget gate
    assert torch.equal(cell.b, bias.flatten())
    if kind == "gru":
        assert not cell.b_hn.any()
    drawn = {name: p.clone() for name, p in cell.named_parameters()}
    with torch.no_grad():
        for p in cell.parameters():
            p.fill_(7.0)
    torch.manual_seed(0)
    cell.reset_parameters()
    assert all(torch.equal(p, drawn[name]) for name, p in cell.named_parameters())


@pytest.mark.parametrize("kind", ["tanh", "relu", "gru", "lstm"])
def test_copies_are_equal(kind, generator):
    cell, _ = make(kind, 3, 4)
    x = torch.randn(2, 3, generator=generator)
    for twin in (copy.deepcopy(cell), pickle.loads(pickle.dumps(cell))):
        for a, b in zip(cell(x), twin(x), strict=True):
            assert torch.equal(a, b)
    assert repr(cell) == f"{type(cell).__name__}(d_in=3, d_hidden=4)"


def test_shapes_are_checked_at_run_time():
    with pytest.raises(Exception, match="jaxtyping|type"):
        GRUCell(3, 4)(torch.zeros(2, 3), torch.zeros(3, 4))
