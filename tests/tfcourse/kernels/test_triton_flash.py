"""The Triton kernels against the formula: on a GPU if there is one, else in the interpreter."""

import importlib.util
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import torch
from formula import TOLERANCE, assert_equals_formula, draw, formula, without_shape_checks

INSTALLED = importlib.util.find_spec("triton") is not None
GPU = torch.cuda.is_available()
if INSTALLED and not GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")  # read once, when Triton is first imported

from tfcourse.kernels import triton_flash  # noqa: E402
from tfcourse.kernels.triton_flash import flash_attention  # noqa: E402

INTERPRETED = INSTALLED and triton_flash._interpreted()
DEVICE = "cuda" if GPU else "cpu"
needs_triton = pytest.mark.skipif(not INSTALLED, reason="needs Triton: pip install triton (Linux)")
runs_kernels = pytest.mark.skipif(
    not (INSTALLED and (GPU or INTERPRETED)),
    reason="needs Triton (pip install triton) and a GPU, or TRITON_INTERPRET=1 from the start",
)
needs_gpu = pytest.mark.skipif(
    not (GPU and INSTALLED) or INTERPRETED, reason="needs Triton and a CUDA GPU"
)


@runs_kernels
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("T", "S", "K", "Dv", "block_q", "block_k", "causal"),
    [
        (1, 1, 1, 1, 16, 16, True),
        (16, 32, 16, 32, 16, 16, False),  # whole tiles
        (37, 20, 20, 7, 16, 16, False),  # fewer keys than queries, and nothing a power of two
        (37, 37, 5, 20, 16, 16, True),
        (20, 50, 16, 16, 16, 32, True),  # the queries are the last of the keys' positions
        (40, 45, 3, 3, 32, 16, True),
        (64, 96, 16, 16, 16, 32, True),  # whole tiles, the diagonal, and no rest
        (50, 83, 8, 16, 32, 16, True),  # whole tiles, the diagonal, and a rest of each kind
        (33, 83, 5, 3, 16, 16, False),
    ],
)
def test_equals_the_formula(T, S, K, Dv, block_q, block_k, causal, dtype):
    q, k, v = draw(1, dtype, (2, T, K), (2, S, K), (2, S, Dv), device=DEVICE)
    assert_equals_formula(flash_attention, q, k, v, causal=causal, block_q=block_q, block_k=block_k)


@runs_kernels
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_equals_the_formula_with_the_default_blocks(dtype):
    q, k, v = draw(2, dtype, (70, 16), (75, 16), (75, 8), device=DEVICE)
    assert_equals_formula(flash_attention, q, k, v, causal=True, scale=0.3)


@runs_kernels
def test_without_blocks_tiles_are_chosen_once_for_lengths_that_are_alike(monkeypatch):
    """The choice itself needs a GPU: here the first of two tiles is always the fastest."""
    made = []

    class Tuned:
        def __init__(self, kernel, tiles):
            made.append((kernel, [tile.kwargs for tile in tiles]))
            self.kernel, self.fastest = kernel, tiles[0].kwargs

        def __getitem__(self, grid):
            return lambda *given, **constants: self.kernel[grid(self.fastest)](
                *given, **constants, **self.fastest
            )

    monkeypatch.setattr(
        triton_flash.triton, "autotune", lambda tiles, key: partial(Tuned, tiles=tiles)
    )
    monkeypatch.setattr(triton_flash, "TILES", {8: ((32, 16, 4, 2), (16, 16, 4, 2))})
    triton_flash._tuned.cache_clear()

    def attend(q, k, v):
        return triton_flash._TritonFlashAttention.apply(q, k, v, True, 0.5, None, None)

    for T in (40, 45, 70):
        q, k, v = draw(1, torch.float64, (1, T, 4), (1, T, 4), (1, T, 4), device=DEVICE)
        assert_equals_formula(lambda *x, **_: attend(*x), q, k, v, causal=True, scale=0.5)
    assert len(made) == 6, "three kernels for up to 63 tokens, and three for up to 127"
    assert made[0][1] == [{"BLOCK_Q": 32, "BLOCK_K": 16}, {"BLOCK_Q": 16, "BLOCK_K": 16}]
    triton_flash._tuned.cache_clear()


@runs_kernels
def test_leading_axes_broadcast():
    """Two heads of queries to each head of keys and values, whose gradients add up."""
    q, k, v = draw(3, torch.float64, (2, 1, 2, 5, 4), (2, 1, 1, 7, 4), (7, 3), device=DEVICE)
    assert_equals_formula(flash_attention, q, k, v, causal=True)


@runs_kernels
def test_groups_of_heads_share_keys_and_values():
    q, k, v = draw(3, torch.float64, (2, 4, 5, 4), (2, 2, 7, 4), (2, 2, 7, 3), device=DEVICE)
    got = flash_attention(q, k, v, causal=True, enable_gqa=True)
    k, v = k.repeat_interleave(2, dim=1), v.repeat_interleave(2, dim=1)
    torch.testing.assert_close(got, formula(q, k, v, causal=True), rtol=0, atol=1e-10)


@runs_kernels
def test_heads_that_are_views_and_a_gradient_without_strides():
    """Heads come as a transpose of ``(B, T, H, K)``, and the gradient of a sum has strides of 0."""
    (x,) = draw(4, torch.float64, (1, 18, 2, 4), device=DEVICE)
    heads = x.transpose(1, 2)
    results = []
    for attend in (flash_attention, formula):
        output = attend(heads, heads, heads, causal=True)
        results.append((output, *torch.autograd.grad(output.sum(), x)))
    torch.testing.assert_close(results[0], results[1], rtol=0, atol=1e-10)


@runs_kernels
@pytest.mark.parametrize("order", [1, -1])
def test_scores_far_beyond_what_exp_can_take(order):
    q = torch.full((16, 1), 30.0, dtype=torch.float64, device=DEVICE, requires_grad=True)
    k = torch.linspace(-100 * order, 100 * order, 40, dtype=torch.float64, device=DEVICE)[:, None]
    k.requires_grad_()
    (v,) = draw(5, torch.float64, (40, 3), device=DEVICE)
    assert_equals_formula(flash_attention, q, k, v, causal=True, block_q=16, block_k=16)


@runs_kernels
@pytest.mark.parametrize(("N", "T", "S"), [(2, 4, 0), (2, 0, 3), (0, 4, 3)])
def test_nothing_to_attend_to_gives_zeros(N, T, S):
    q, k, v = draw(6, torch.float32, (N, T, 4), (N, S, 4), (N, S, 3), device=DEVICE)
    output = flash_attention(q, k, v)
    assert torch.equal(output, torch.zeros(N, T, 3, device=DEVICE))
    output.sum().backward()
    assert all(x.grad.shape == x.shape and (x.grad == 0).all() for x in (q, k, v))


@runs_kernels
def test_tiles_above_the_diagonal_are_skipped():
    """NaN times a weight of 0 is NaN: what stays finite has not looked at that tile at all."""
    q, k, v = draw(7, torch.float32, (32, 4), (32, 4), (32, 4), device=DEVICE)
    nan = torch.tensor(float("nan"), device=DEVICE)
    late = torch.arange(32, device=DEVICE)[:, None] >= 16
    blocks = {"block_q": 16, "block_k": 16}

    hidden = [torch.where(late, nan, x) for x in (k, v)]
    output = flash_attention(q, *hidden, causal=True, **blocks)
    (dq,) = torch.autograd.grad(output, q, torch.ones_like(output))
    for x in (output, dq):
        assert x[:16].isfinite().all() and x[16:].isnan().all()

    output = flash_attention(q, k, v, causal=True, **blocks)
    dk, dv = torch.autograd.grad(output, (k, v), torch.where(late, 1.0, nan).expand_as(output))
    for x in (dk, dv):
        assert x[:16].isnan().all() and x[16:].isfinite().all()


@needs_gpu
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("width", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_equals_the_formula_at_size_on_a_gpu(dtype, width, causal):
    if dtype == torch.float64 and width > 64:
        pytest.skip("by default float64 has room for heads up to 64 wide only")
    shape = (2, 4, 1000, width)
    q, k, v = draw(8, dtype, shape, shape, shape, device="cuda")
    assert_equals_formula(flash_attention, q, k, v, causal=causal)
    first, second = (
        torch.autograd.grad(flash_attention(q, k, v, causal=causal).sum(), (q, k, v))
        for _ in range(2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@needs_gpu
def test_memory_on_a_gpu_is_linear_in_the_length():
    def peak(n):
        q, k, v = draw(9, torch.float16, (n, 64), (n, 64), (n, 64), device="cuda")
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        flash_attention(q, k, v, causal=True).sum().backward()
        return torch.cuda.max_memory_allocated() - before

    assert peak(16384) < 2.5 * peak(8192)


@needs_triton
@pytest.mark.release("compilation for other GPUs")
def test_compiles_for_gpus_that_are_not_here(tmp_path):
    """Machine code for Ampere, on tensor cores, within the least shared memory a GPU has."""
    script = Path(__file__).with_name("compile_for_cuda.py")
    env = {n: x for n, x in os.environ.items() if n != "TRITON_INTERPRET"}
    env["TRITON_CACHE_DIR"] = str(tmp_path)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    kernels = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(kernels) == 6
    for kernel in kernels:
        assert kernel["machine_code"] > 0
        assert kernel["shared_memory"] <= 99 * 1024, kernel
        assert kernel["tensor_cores"] == (kernel["dtype"] != "torch.float32"), kernel


def test_says_what_to_do_where_triton_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)  # makes the import fail
    plain = without_shape_checks(triton_flash)
    with pytest.raises(ImportError, match="pip install triton.*tfcourse.kernels.flash") as caught:
        plain.flash_attention(*torch.zeros(3, 5, 4))
    assert isinstance(caught.value.__cause__, ImportError)


@needs_triton
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"block_q": 8}, "block_q must be a power of two of at least 16, got 8"),
        ({"block_k": 48}, "block_k must be a power of two of at least 16, got 48"),
        ({"v": (6, 4)}, "k and v must have one row for each key"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(change, told):
    q, k, v = (torch.zeros(change.get(name, (7, 4))) for name in "qkv")
    options = {n: x for n, x in change.items() if n.startswith("block")}
    with pytest.raises(ValueError, match=told):
        without_shape_checks(triton_flash).flash_attention(q, k, v, **options)


@needs_triton
def test_the_cpu_is_refused_outside_the_interpreter(monkeypatch):
    monkeypatch.setattr(triton_flash, "_interpreted", lambda: False)
    with pytest.raises(ValueError, match="must be on a CUDA device, got cpu.*TRITON_INTERPRET=1"):
        flash_attention(*torch.zeros(3, 5, 4))
