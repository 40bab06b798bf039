"""The reference for both implementations of flash attention: the formula, and its gradients."""

import importlib.util
from types import ModuleType

import torch

from tfcourse.attention import causal_mask, scaled_dot_product_attention

#: What "equal" means for each precision, relative to the largest entry where that is above 1.
#: In the half precisions it is about two roundings of a number below 1.
TOLERANCE = {
    torch.float64: 1e-10,
    torch.float32: 1e-5,
    torch.float16: 2**-9,
    torch.bfloat16: 2**-6,
}


def draw(seed, dtype, *shapes, device="cpu"):
    generator = torch.Generator().manual_seed(seed)
    numbers = [torch.randn(*s, generator=generator, dtype=torch.float64) for s in shapes]
    return [x.to(device, dtype).requires_grad_() for x in numbers]


def formula(q, k, v, *, causal=False, scale=None):
    """The formula line by line, in float64 where the inputs are less precise than float32."""
    if q.element_size() == 2:
        q, k, v = q.double(), k.double(), v.double()
    mask = causal_mask(q.shape[-2], k.shape[-2], device=q.device) if causal else None
    return scaled_dot_product_attention(q, k, v, mask, scale=scale)[0]


def assert_equals_formula(flash_attention, q, k, v, *, causal=False, scale=None, **blocks):
    """Values and every gradient, for a random gradient of the output."""
    ours = flash_attention(q, k, v, causal=causal, scale=scale, **blocks)
    exact = formula(q, k, v, causal=causal, scale=scale)
    assert ours.dtype == q.dtype
    assert ours.shape == exact.shape
    generator = torch.Generator().manual_seed(0)
    cotangent = torch.randn(ours.shape, generator=generator, dtype=torch.float64).to(ours)
    ours = (ours, *torch.autograd.grad(ours, (q, k, v), cotangent))
    exact = (exact, *torch.autograd.grad(exact, (q, k, v), cotangent.to(exact)))
    for name, a, b in zip(("output", "dq", "dk", "dv"), ours, exact, strict=True):
        largest = max(1.0, b.abs().max().item()) if b.numel() else 1.0
        torch.testing.assert_close(
            a.double() / largest,
            b.double() / largest,
            rtol=0,
            atol=TOLERANCE[q.dtype],
            msg=lambda text, name=name: f"{name}: {text}",
        )


def without_shape_checks(module: ModuleType) -> ModuleType:
    """The module as a user has it, without the run-time shape checks that the tests may add."""
    spec = importlib.util.spec_from_file_location("plain_" + module.__name__, module.__file__)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    return plain
