"""Random numbers from a seed, and whether two results agree: for tests against a peer."""

import torch

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def draw(seed, dtype, *shape):
    """Normal numbers; of either precision the same, up to rounding."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)


def assert_same(ours, theirs, what="output"):
    """Equal to the dtype's tolerance, relative to the largest entry."""
    scale = max(1.0, theirs.abs().max().item())
    torch.testing.assert_close(
        ours / scale, theirs / scale, rtol=0, atol=TOLERANCE[theirs.dtype],
        msg=lambda m: f"{what}: {m}",
    )  # fmt: skip
