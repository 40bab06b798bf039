"""Which of PyTorch's kernels computes attention: one setting, refused where it cannot be."""

import pytest
import torch
from torch.nn import functional as F
from torch.profiler import profile

from tfcourse import attention, presets
from tfcourse.devices import ATTENTION_BACKENDS, attention_backend
from tfcourse.training import fit

#: The operator that each kernel of a CPU shows in a profile.
OPERATORS = {
    "math": "aten::_scaled_dot_product_attention_math",
    "flash": "aten::_scaled_dot_product_flash_attention_for_cpu",
}


def attended(x, **more):
    return attention.scaled_dot_product_attention(x, x, x, fused=True, **more)[0]


@pytest.fixture
def x():
    return torch.randn(2, 3, 7, 8, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("name", OPERATORS)
def test_the_named_kernel_computes_the_same(name, x):
    wanted = attended(x, causal=True)
    with attention_backend(name, "cpu"), profile() as seen:
        found = attended(x, causal=True)
    ran = {event.key for event in seen.key_averages()}
    assert {kernel for kernel, operator in OPERATORS.items() if operator in ran} == {name}
    torch.testing.assert_close(found, wanted)


def test_without_a_name_pytorch_chooses(x):
    with attention_backend(None), profile() as seen:
        attended(x)
    assert OPERATORS["flash"] in {event.key for event in seen.key_averages()}


@pytest.mark.parametrize("name", ["cudnn", "efficient"])
def test_what_a_cpu_lacks_is_refused_by_name(name):
    with (
        pytest.raises(ValueError, match=f'attention must not be "{name}" on cpu with PyTorch'),
        attention_backend(name, "cpu"),
    ):
        raise AssertionError("it must not be entered")


def test_what_pytorch_lacks_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(ATTENTION_BACKENDS, "flash", "NOT_YET")
    with (
        pytest.raises(ValueError, match='attention must not be "flash" with PyTorch'),
        attention_backend("flash", "cpu"),
    ):
        raise AssertionError("it must not be entered")
    with (
        pytest.raises(ValueError, match=r"attention must be one of \['cudnn', 'flash', "),
        attention_backend("fastest", "cpu"),
    ):
        raise AssertionError("it must not be entered")


@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch says why not
def test_what_the_kernel_cannot_compute_is_an_error_that_names_it(x):
    with (
        pytest.raises(ValueError, match='attention="flash" cannot compute an attention'),
        attention_backend("flash", "cpu"),
    ):
        attended(x, dropout=0.5)  # this kernel has no dropout on a CPU
    with pytest.raises(RuntimeError, match="another"), attention_backend("flash", "cpu"):
        raise RuntimeError("another")


def test_a_training_and_a_preset_have_the_setting(x):
    model = torch.nn.Linear(8, 8)
    ran = []

    def loss(model, batch):
        with profile() as seen:
            found = attended(model(batch))
        ran.append({event.key for event in seen.key_averages()})
        return F.mse_loss(found, batch), 1

    fit(model, [x], loss=loss, steps=1, device="cpu", attention="math")
    fit(model, [x], loss=loss, steps=1, device="cpu")
    assert [OPERATORS["math"] in keys for keys in ran] == [True, False]
    with pytest.raises(ValueError, match='attention must not be "cudnn" on cpu'):
        fit(model, [x], loss=loss, steps=1, device="cpu", attention="cudnn")
    assert len(ran) == 2, "before the first step"
    name = "tinyshakespeare-cpu"
    assert presets.load(name, {"training.attention": "flash"}).training.attention == "flash"
    with pytest.raises(ValueError, match="attention must be one of"):
        presets.load(name, {"training.attention": "fastest"})
