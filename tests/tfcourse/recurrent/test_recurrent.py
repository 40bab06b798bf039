"""Whole recurrent networks against PyTorch's, and their properties."""

import copy
import json
import os
import platform
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_peers import TOLERANCE, assert_same, assert_same_gradients, take_weights
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import tfcourse.recurrent
from tfcourse.properties import assert_causal, assert_padding_invariant
from tfcourse.recurrent import GRUCell, LSTMCell, Recurrent, RecurrentCell, RNNCell

KINDS = {
    "tanh": (RNNCell, nn.RNN),
    "relu": (partial(RNNCell, nonlinearity="relu"), partial(nn.RNN, nonlinearity="relu")),
    "gru": (GRUCell, nn.GRU),
    "lstm": (LSTMCell, nn.LSTM),
}
kinds = st.sampled_from(list(KINDS))
sizes = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize("kind", list(KINDS))
both_paths = pytest.mark.parametrize("fused", [False, True])


@pytest.fixture(autouse=True)
def seeded():
    """The same weights at every run."""
    torch.manual_seed(0)


def make(kind, d_in, d_hidden, layers=1, bidirectional=False, dropout=0.0, dtype=torch.float64):
    """Ours with the weights of PyTorch's, and PyTorch's."""
    cell, peer = KINDS[kind]
    ours = Recurrent(cell, d_in, d_hidden, layers, bidirectional, dropout).to(dtype)
    theirs = peer(
        d_in, d_hidden, layers, bidirectional=bidirectional, dropout=dropout, batch_first=True
    ).to(dtype)
    for cell, weights in zip(ours.cells, weights_of(theirs), strict=True):
        take_weights(cell, *weights)
    return ours, theirs


def weights_of(theirs):
    """The four tensors of each of PyTorch's cells, by their names, in the order of ours."""
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    for layer in range(theirs.num_layers):
        for direction in ("", "_reverse")[: 1 + theirs.bidirectional]:
            yield [getattr(theirs, f"{name}_l{layer}{direction}") for name in names]


def parts(state):
    return state if isinstance(state, tuple) else (state,)


def pytorchs(theirs, x, lengths, state):
    """What PyTorch gives, on packed sequences where there are lengths."""
    if lengths is None:
        return theirs(x, state)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    outputs, state = theirs(packed, state)
    return pad_packed_sequence(outputs, batch_first=True, total_length=x.shape[1])[0], state


@settings(max_examples=150, deadline=None)
@given(kind=kinds, B=sizes, T=sizes, D=sizes, Dh=sizes, layers=st.integers(1, 3), seed=seeds,
       bidirectional=st.booleans(), padded=st.booleans(), started=st.booleans(),
       fused=st.booleans(), dtype=st.sampled_from(list(TOLERANCE)))  # fmt: skip
def test_equals_pytorch(
    kind, B, T, D, Dh, layers, seed, bidirectional, padded, started, fused, dtype
):
    torch.manual_seed(seed)
    ours, theirs = make(kind, D, Dh, layers, bidirectional, dtype=dtype)
    inputs = [torch.randn(B, T, D, dtype=dtype)]
    if started:
        shape = (len(ours.cells), B, Dh)
        inputs += [torch.randn(shape, dtype=dtype) for _ in range(2 if kind == "lstm" else 1)]
    lengths = torch.randint(1, T + 1, (B,)) if padded else None
    results, gradients = [], []
    for run in (lambda x, state: ours(x, lengths, state, fused=fused),
                lambda x, state: pytorchs(theirs, x, lengths, state)):  # fmt: skip
        x, *start = (t.clone().requires_grad_() for t in inputs)
        outputs, state = run(x, (tuple(start) if kind == "lstm" else start[0]) if start else None)
        results.append((outputs, *parts(state)))
        cotangents = torch.Generator().manual_seed(seed)
        loss = sum(
            (t * torch.randn(t.shape, generator=cotangents, dtype=dtype)).sum() for t in results[-1]
        )
        loss.backward()
        gradients.append([t.grad for t in (x, *start)])
    for name, a, b in zip(("outputs", "last h", "last c"), *results, strict=False):
        assert_same(a, b, name)
    assert len(results[0]) == len(results[1])
    for name, a, b in zip(("x", "first h", "first c"), *gradients, strict=False):
        assert_same(a, b, f"gradient of {name}")
    for cell, weights in zip(ours.cells, weights_of(theirs), strict=True):
        assert_same_gradients(cell, *weights)


@settings(max_examples=60, deadline=None)
@given(kind=kinds, B=sizes, T=sizes, layers=st.integers(1, 2), bidirectional=st.booleans(),
       seed=seeds, data=st.data())  # fmt: skip
def test_each_sequence_is_read_as_if_alone(kind, B, T, layers, bidirectional, seed, data):
    """With empty sequences too, which PyTorch refuses; and the two paths agree."""
    torch.manual_seed(seed)
    net, _ = make(kind, 3, 4, layers, bidirectional)
    x = torch.randn(B, T, 3, dtype=torch.float64)
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, T), min_size=B, max_size=B)))
    start = torch.randn(2, len(net.cells), B, 4, dtype=torch.float64).unbind()
    start = start if kind == "lstm" else start[0]
    outputs, state = net(x, lengths, start)
    for b, n in enumerate(lengths.tolist()):
        own = tuple(part[:, b : b + 1] for part in parts(start))
        last = own
        if n > 0:
            alone, last = net(x[b : b + 1, :n], None, own if kind == "lstm" else own[0])
            assert_same(outputs[b, :n], alone[0], f"outputs of sequence {b}")
        assert not outputs[b, n:].any()
        for part, expected in zip(parts(state), parts(last), strict=True):
            assert_same(part[:, b], expected[:, 0], f"last state of sequence {b}")
    fused_outputs, fused_state = net(x, lengths, start, fused=True)
    assert_same(fused_outputs, outputs, "outputs")
    for a, b in zip(parts(fused_state), parts(state), strict=True):
        assert_same(a, b, "last state")


@every_kind
@both_paths
def test_nan_in_the_padding_reaches_nothing(kind, fused, generator):
    net, _ = make(kind, 3, 4, layers=2, bidirectional=True)
    x = torch.randn(3, 5, 3, generator=generator).double()
    lengths = torch.tensor([5, 2, 0])
    seen = []
    for filling in (0.0, float("nan")):
        net.zero_grad()
        padded = x.clone()
        padded[1, 2:] = padded[2] = filling
        padded.requires_grad_()
        outputs, state = net(padded, lengths, fused=fused)
        (outputs.square().sum() + parts(state)[0].square().sum()).backward()
        assert (padded.grad[1, 2:] == 0).all() and (padded.grad[2] == 0).all()
        seen.append([outputs, padded.grad, *(p.grad for p in net.parameters())])
    assert all(torch.equal(a, b) for a, b in zip(*seen, strict=True))


def test_the_last_state_is_each_sequences_own(generator):
    """The published slip: outputs[:, -1] is padding forwards, and backwards one token's reading."""
    net = Recurrent(GRUCell, 3, 4, bidirectional=True)
    x, lengths = torch.randn(2, 5, 3, generator=generator), torch.tensor([5, 2])
    outputs, state = net(x, lengths)
    assert torch.equal(state[0], outputs[[0, 1], lengths - 1, :4])  # forwards: at the own last
    assert torch.equal(state[1], outputs[:, 0, 4:])  # backwards: at the first
    assert not outputs[1, -1].any()
    assert not torch.allclose(state[1, 0], outputs[0, -1, 4:])


class WithMask(nn.Module):
    """A net as the properties call it: with the mask of `padding_mask`, or alone."""

    def __init__(self, net, fused):
        super().__init__()
        self.net, self.fused = net, fused

    def forward(self, x, mask=None):
        return self.net(x, None if mask is None else mask.sum(dim=(1, 2)), fused=self.fused)


@every_kind
@both_paths
def test_causal_in_one_direction_only(kind, fused, generator):
    x = torch.randn(2, 6, 3, generator=generator)
    cell = KINDS[kind][0]
    one, both = (Recurrent(cell, 3, 4, 2, two, dropout=0.5) for two in (False, True))
    assert_causal(WithMask(one, fused), x)
    with pytest.raises(AssertionError, match="not causal"):
        assert_causal(WithMask(both, fused), x)


@every_kind
@both_paths
@pytest.mark.parametrize("bidirectional", [False, True])
def test_padding_does_not_matter(kind, fused, bidirectional, generator):
    net = Recurrent(KINDS[kind][0], 3, 4, num_layers=2, bidirectional=bidirectional)
    x = torch.randn(3, 6, 3, generator=generator)
    assert_padding_invariant(WithMask(net, fused), x, torch.tensor([6, 1, 4]))


@every_kind
@both_paths
def test_nothing_is_left_behind_and_inputs_are_left_alone(kind, fused, generator):
    net = Recurrent(KINDS[kind][0], 3, 4, num_layers=2, bidirectional=True)
    x, lengths = torch.randn(3, 5, 3, generator=generator), torch.tensor([2, 5, 1])
    kept = x.clone(), lengths.clone(), copy.deepcopy(net.state_dict())
    first, _ = net(x, lengths, fused=fused)
    net(x + 1, fused=fused)
    again, _ = net.eval()(x, lengths, fused=fused)  # without dropout, train and eval are the same
    assert torch.equal(first, again)
    assert torch.equal(x, kept[0]) and torch.equal(lengths, kept[1])
    assert all(torch.equal(value, kept[2][name]) for name, value in net.state_dict().items())


@every_kind
@both_paths
def test_gradient_reaches_every_parameter_also_in_eval_mode(kind, fused, generator):
    net = Recurrent(KINDS[kind][0], 3, 16, num_layers=2, bidirectional=True).eval()
    outputs, _ = net(torch.randn(2, 5, 3, generator=generator), fused=fused)
    outputs.square().sum().backward()
    assert all(p.grad.any() for p in net.parameters())


@every_kind
def test_a_sequence_can_be_read_in_pieces(kind, generator):
    net, _ = make(kind, 3, 4, layers=2)
    x = torch.randn(2, 7, 3, generator=generator).double()
    whole, last = net(x)
    first, state = net(x[:, :3])
    second, state = net(x[:, 3:], None, state)
    assert_same(torch.cat([first, second], dim=1), whole, "outputs")
    for a, b in zip(parts(state), parts(last), strict=True):
        assert_same(a, b, "last state")


@every_kind
def test_dropout_falls_between_layers_and_nowhere_else(kind, generator):
    net, _ = make(kind, 3, 16, layers=2, dropout=0.25)
    read = []
    for cell in net.cells:
        cell.register_forward_pre_hook(lambda cell, inputs: read.append(inputs[0]))
    x = torch.randn(64, 2, 3, generator=generator).double()
    outputs, _ = net(x)
    first, second = torch.stack(read[:2], dim=1), torch.stack(read[2:], dim=1)
    read.clear()
    net.eval()(x)
    whole = torch.stack(read[2:], dim=1)
    assert torch.equal(first, x)  # the tokens are whole
    fallen = (second == 0) & (whole != 0)
    torch.testing.assert_close(second, (whole / 0.75).masked_fill(fallen, 0.0))
    count = (whole != 0).sum().item()
    deviation = (0.25 * 0.75 / count) ** 0.5  # of a share of `count` draws
    assert fallen.sum().item() / count == pytest.approx(0.25, abs=5 * deviation)
    assert kind == "relu" or outputs.all()  # and so are the outputs


@every_kind
def test_dropout_of_everything_is_the_same_on_both_paths(kind, generator):
    net, _ = make(kind, 3, 4, layers=2, dropout=1.0)
    x = torch.randn(2, 5, 3, generator=generator).double()
    outputs, _ = net(x)
    assert_same(net(x, fused=True)[0], outputs, "outputs")
    assert_same(net(x + 1)[0], outputs, "outputs of other tokens")
    assert not torch.allclose(net.eval()(x)[0], outputs)


@every_kind
@pytest.mark.parametrize("lengths", [None, [5, 2, 3]])
def test_dropout_of_the_fused_path_is_pytorchs(kind, lengths, generator):
    ours, theirs = make(kind, 3, 4, layers=3, bidirectional=True, dropout=0.5)
    x = torch.randn(3, 5, 3, generator=generator).double()
    lengths = None if lengths is None else torch.tensor(lengths)
    torch.manual_seed(1)
    got, _ = ours(x, lengths, fused=True)
    torch.manual_seed(1)
    expected, _ = pytorchs(theirs, x, lengths, None)
    assert_same(got, expected, "outputs")
    assert not torch.allclose(ours(x, lengths, fused=True)[0], got)
    whole, _ = ours.eval()(x, lengths, fused=True)  # gradients or none: nothing falls in eval mode
    assert_same(whole, pytorchs(theirs.eval(), x, lengths, None)[0], "outputs in eval mode")


@every_kind
@both_paths
def test_a_copy_through_its_weights_is_equal(kind, fused, generator):
    one, _ = make(kind, 3, 4, layers=2, bidirectional=True)
    two = Recurrent(KINDS[kind][0], 3, 4, num_layers=2, bidirectional=True).double()
    two.load_state_dict(one.state_dict())
    x = torch.randn(2, 5, 3, generator=generator).double()
    assert torch.equal(one(x, fused=fused)[0], two(x, fused=fused)[0])


def test_a_cell_of_ones_own(generator):
    """A variant changes one hook: here a plain cell that moves half-way only."""

    class Lazy(RNNCell):
        kernel = None

        def forward(self, x, state=None):
            h = self.start(x, state, len(x), self.d_hidden)
            return (h + super().forward(x, h)) / 2

    net = Recurrent(Lazy, 3, 4)
    x = torch.randn(2, 5, 3, generator=generator)
    outputs, _ = net(x)
    assert isinstance(net.cells[0], RecurrentCell)
    assert torch.equal(outputs[:, 1], net.cells[0](x[:, 1], outputs[:, 0]))


def test_sizes():
    net = Recurrent(LSTMCell, 5, 7, num_layers=2, bidirectional=True, dropout=0.1)
    outputs, (h, c) = net(torch.zeros(3, 4, 5))
    assert outputs.shape == (3, 4, net.d_out) == (3, 4, 14)
    assert h.shape == c.shape == (4, 3, 7)
    assert [cell.d_in for cell in net.cells] == [5, 5, 14, 14]
    assert "Dropout(p=0.1" in repr(net) and "LSTMCell(d_in=14, d_hidden=7)" in repr(net)


def test_the_one_buffer_for_cudnn():
    """The same weights, matrices in their order before biases in theirs, without a gap."""
    net = Recurrent(GRUCell, 3, 4, num_layers=2)
    weights = [weight for cell in net.cells for weight in cell.torch_weights()]
    pieces = tfcourse.recurrent._one_buffer(weights)
    assert all(torch.equal(a, b) for a, b in zip(pieces, weights, strict=True))
    place = 0
    for n in (0, 1, 4, 5, 2, 3, 6, 7):
        assert pieces[n].storage_offset() == place and pieces[n].is_contiguous()
        place += pieces[n].numel()
    sum(piece.square().sum() for piece in pieces).backward()
    assert all(torch.allclose(cell.W.grad, 2 * cell.W) for cell in net.cells)


@pytest.mark.parametrize("instructions", ["AVX2", "SSE41"])
def test_autocast_on_a_processor_without_a_kernel_for_it(instructions):
    """oneDNN's LSTM needs AVX-512 for bfloat16: with less, ours runs in the weights' float32."""
    found = subprocess.run(
        [sys.executable, Path(__file__).with_name("autocast_run.py")],
        env={**os.environ, "ONEDNN_MAX_CPU_ISA": instructions},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    found = json.loads(found.stdout)
    assert found["wrong"] == []
    if platform.machine().lower() in ("x86_64", "amd64"):  # the names are those of x86's sets
        assert found["in float32"] == ["LSTMCell torch.bfloat16", "LSTMCell torch.float16"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device and torch for it")
@every_kind
def test_paths_agree_on_a_gpu_without_a_warning(kind):
    net = Recurrent(KINDS[kind][0], 16, 32, num_layers=2, bidirectional=True).double().cuda().eval()
    x = torch.randn(4, 9, 16, dtype=torch.float64).cuda()  # drawn on the CPU, as everywhere
    for lengths in (None, torch.tensor([9, 1, 0, 4])):
        results = []
        for fused in (False, True):
            net.zero_grad()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                outputs, state = net(x, lengths, fused=fused)
                outputs.square().sum().backward()
            results.append([outputs, *parts(state), *(p.grad for p in net.parameters())])
        for a, b in zip(*results, strict=True):
            assert_same(a, b, "a result or gradient")
