"""What must be written by hand is refused by whatever name it is called, and nothing else is."""

import importlib
import sys

import pytest
import torch
import torch.utils.flop_counter
from around import WITHOUT
from mistake_messages import message_of
from torch import nn
from torch.nn import functional as F

from nbjudge.inside.program import program
from nbjudge.inside.testing import absent
from nbjudge.testing import by_hand, call

tfcourse = pytest.importorskip("tfcourse", reason=WITHOUT)

pytestmark = pytest.mark.usefixtures("nothing_forbidden")

X = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))


def swallows():
    try:
        return F.scaled_dot_product_attention(X, X, X)
    except AssertionError:
        return X


def unwatched():
    with torch._C.DisableTorchFunction():
        return F.scaled_dot_product_attention(X, X, X)


class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))


class Wraps(nn.Module):
    def forward(self, x):
        return F.scaled_dot_product_attention(x, x, x)


ATTENTION = F.scaled_dot_product_attention


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.scaled_dot_product_attention(X, X, X),
        lambda: torch.ops.aten.scaled_dot_product_attention(X, X, X),
        lambda: torch.ops.aten.scaled_dot_product_attention.default(X, X, X),
        lambda: nn.MultiheadAttention(4, 1),
        lambda: nn.TransformerEncoderLayer(4, 1),
        lambda: tfcourse.attention.scaled_dot_product_attention(X, X, X),
        lambda: tfcourse.attention.SelfAttention(4),
        lambda: tfcourse.attention.causal_mask(3),
        lambda: ATTENTION(X, X, X),
        lambda: getattr(F, "scaled_dot_" + "product_attention")(X, X, X),
        lambda: F.scaled_dot_product_attention(X.as_subclass(Mine), X, X),
        lambda: nn.Sequential(Wraps())(X),
        lambda: torch.vmap(F.scaled_dot_product_attention)(X, X, X),
        lambda: torch._C._nn.scaled_dot_product_attention(X, X, X),
        lambda: torch._scaled_dot_product_attention_math(X, X, X),
        unwatched,
        swallows,
    ],
)
def test_what_is_to_be_written_by_hand_is_refused_however_it_is_called(use):
    call(lambda: (use(), 1)[1])
    by_hand("attention")
    assert "does the whole of this exercise" in message_of(call, lambda: (use(), 1)[1])
    use()  # outside the verbs, in a test's own code, it stays allowed


class Inside(torch.Tensor):
    """Its own code runs inside PyTorch's functions."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        tfcourse.attention.causal_mask(3)
        return super().__torch_function__(func, types, args, kwargs)


def test_a_function_that_was_harmless_before_is_watched_with_a_tensor_of_ones_own():
    def use():
        X + X  # harmless, and from now on known to be so
        X.as_subclass(Inside) + X
        return 1

    by_hand("attention")
    assert "does the whole of this exercise" in message_of(call, use)


def test_products_of_matrices_are_refused_and_those_with_a_vector_are_not():
    by_hand("matrix products")
    A, v = torch.ones(2, 2), torch.ones(2)
    for product in (
        lambda: A @ A,
        lambda: torch.einsum("ij,jk->ik", A, A),
        lambda: torch.bmm(A[None], A[None]),
        lambda: F.linear(A, A),
        lambda: A[:, None] @ A,
        lambda: torch.zeros(2, 2).addmm_(A, A),
        lambda: torch.cov(A),
        lambda: F.conv1d(A[:, :, None], A[:, :, None]),
    ):
        assert "multiplies two matrices" in message_of(call, product)
    for product in (lambda: A @ v, lambda: v @ v, lambda: F.linear(v, A), lambda: (A * A).sum()):
        call(product)
    rows = call(lambda: torch.cat([A[i : i + 1] @ A.T for i in range(2)]))
    assert rows.shape == (2, 2)


@pytest.mark.parametrize(
    "use",
    [
        lambda: F.cross_entropy(X[0], torch.tensor([0, 1, 2])),
        lambda: nn.CrossEntropyLoss(ignore_index=0)(X[0], torch.tensor([0, 1, 2])),
        lambda: F.nll_loss(X[0].log_softmax(-1), torch.tensor([0, 1, 2])),
        lambda: tfcourse.generation.length_penalty(3, 1.0),
    ],
)
def test_the_loss_of_a_translation_and_its_search_are_refused(use):
    call(lambda: (use(), 1)[1])
    by_hand("attention", "translation")
    assert "Take the call out" in message_of(call, lambda: (use(), 1)[1])
    call(lambda: X.log_softmax(-1).gather(-1, torch.zeros(1, 3, 1).long()))


@pytest.mark.parametrize(
    "use",
    [
        lambda: nn.RNN(4, 2),
        lambda: nn.LSTMCell(4, 2),
        lambda: torch.rnn_tanh_cell(X[0], X[0, :, :2], torch.ones(2, 4), torch.ones(2, 2)),
        lambda: torch.ops.aten.gru_cell(X[0], X[0, :, :2], torch.ones(6, 4), torch.ones(6, 2)),
        lambda: tfcourse.recurrent.LSTMCell(4, 2),
        lambda: tfcourse.recurrent.Recurrent(tfcourse.recurrent.RNNCell, 4, 2),
    ],
)
def test_recurrent_nets_are_refused_however_they_are_called(use):
    call(lambda: (use(), 1)[1])
    by_hand("recurrent nets")
    assert "writes by hand: recurrent cells" in message_of(call, lambda: (use(), 1)[1])
    call(lambda: torch.tanh(X @ torch.ones(4, 2)))


def with_gradient():
    parameter = nn.Parameter(X)
    parameter.grad = X.clone()
    return parameter


@pytest.mark.parametrize(
    "use",
    [
        lambda: nn.utils.clip_grad_norm_([with_gradient()], 1.0),
        lambda: nn.utils.clip_grad.clip_grad_value_([with_gradient()], 1.0),
        lambda: nn.utils.get_total_norm([X]),
    ],
)
def test_clipping_is_refused_and_norms_are_not(use):
    call(lambda: (use(), 1)[1])
    by_hand("clipping")
    assert "clips for you" in message_of(call, lambda: (use(), 1)[1])
    call(lambda: X.norm() + torch.linalg.vector_norm(X))


def cubed(backward):
    x = torch.ones(3, requires_grad=True)
    return backward((x**3).sum(), x)


@pytest.mark.parametrize(
    "use",
    [
        lambda: cubed(lambda y, x: y.backward()),
        lambda: cubed(torch.autograd.grad),
        lambda: cubed(lambda y, x: torch.autograd.backward(y)),
        lambda: cubed(lambda y, x: y.grad_fn.next_functions[0][0](torch.ones(3))),
        lambda: torch.func.grad(lambda x: (x**3).sum())(X),
        lambda: torch.func.jacrev(lambda x: x * x)(X[0, 0]),
        lambda: torch.func.jvp(lambda x: x**3, (X,), (X,)),
    ],
)
def test_gradients_by_pytorch_are_refused_however_they_are_taken(use):
    call(lambda: (use(), 1)[1])
    by_hand("autograd")
    assert "lets PyTorch find the gradient" in message_of(call, lambda: (use(), 1)[1])
    call(lambda: torch.vmap(lambda x: 3 * x**2)(X))


@pytest.mark.parametrize(
    "use",
    [
        lambda: nn.LayerNorm(4),
        lambda: F.rms_norm(X, (4,)),
        lambda: torch.native_layer_norm(X, (4,), None, None, 1e-5),
        lambda: nn.BatchNorm1d(3)(X),
        lambda: torch.utils.flop_counter.FlopCounterMode(display=False),
        lambda: torch.autograd.profiler.profile(with_flops=True),
    ],
)
def test_norms_and_counts_of_operations_are_refused(use):
    call(lambda: (use(), 1)[1])
    by_hand("blocks")
    assert "writes by hand: the norms" in message_of(call, lambda: (use(), 1)[1])
    call(lambda: X - X.mean(-1, keepdim=True))


def test_a_module_is_refused_while_a_test_runs_and_not_after_it(monkeypatch):
    def imports():
        importlib.import_module("tfcourse.alignment")

    monkeypatch.delitem(sys.modules, "tfcourse.alignment", raising=False)
    by_hand("attention")
    assert "`tfcourse.alignment` does the whole" in message_of(call, imports)
    imports()


def test_files_of_a_module_are_its_source_and_what_is_compiled_of_it():
    hidden = ("/course/attention/", "/course/models/")
    for path in ("attention.py", "__pycache__/attention.cpython-311.opt-1.pyc", "models/gpt.py"):
        assert absent.is_in(f"/course/{path}", hidden), path
    for path in ("attentive.py", "__init__.py", "data/attention.py"):
        assert not absent.is_in(f"/course/{path}", hidden), path


@pytest.mark.parametrize("kind", program().forbidden)
def test_what_is_forbidden_is_named_where_it_is_defined(kind):
    """Names are compared with those of the functions that are called."""
    for path in program().forbidden[kind].python:
        parent, _, name = path.rpartition(".")
        try:
            importlib.import_module(path)
        except ModuleNotFoundError:
            thing = getattr(importlib.import_module(parent), name)
            assert f"{thing.__module__}.{thing.__qualname__}" == path


def test_an_unknown_kind_is_an_error_of_the_tests_author():
    with pytest.raises(ValueError, match="what must be among"):
        by_hand("thinking")
