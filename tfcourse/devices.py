"""The default device, the most precise dtype it supports, and its kernels for attention."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F

from tfcourse.arguments import one_of

#: PyTorch's kernels for fused attention, by the name that a user gives.
ATTENTION_BACKENDS = {
    "cudnn": "CUDNN_ATTENTION",
    "flash": "FLASH_ATTENTION",
    "efficient": "EFFICIENT_ATTENTION",
    "math": "MATH",
}


def default_device() -> torch.device:
    """The fastest available device: a CUDA GPU, else Apple's GPU (MPS), else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def exact_dtype(device: torch.device) -> torch.dtype:
    """The dtype for sums and angles: float64, or float32 on MPS, which has no float64."""
    return torch.float32 if device.type == "mps" else torch.float64


@contextmanager
def attention_backend(name: str | None, device: torch.device | str | None = None) -> Iterator[None]:
    """Context in which fused attention uses only one of PyTorch's kernels.

    It holds for everything that calls ``scaled_dot_product_attention(..., fused=True)``, models
    included. Which kernel is fastest depends on the card and the shapes: measure it.

    Parameters
    ----------
    name:
        ``"cudnn"``, ``"flash"`` (FlashAttention), ``"efficient"`` (memory-efficient attention) or
        ``"math"``, which runs anywhere and stores all scores. ``None`` leaves the choice to
        PyTorch.
    device:
        Where it will be used; default :func:`default_device`.

    Raises
    ------
    ValueError
        For another name, if this PyTorch or the device does not have the kernel, and if the kernel
        cannot compute an attention that is asked of it: FlashAttention on a GPU takes no mask and
        no float32.
    """
    if name is None:
        yield
        return
    one_of(ATTENTION_BACKENDS, attention=name)
    from torch.nn.attention import SDPBackend, sdpa_kernel

    device = default_device() if device is None else torch.device(device)
    backend = getattr(SDPBackend, ATTENTION_BACKENDS[name], None)
    if backend is None:
        raise ValueError(f'attention must not be "{name}" with PyTorch {torch.__version__}')
    dtype = torch.float32 if device.type == "cpu" else torch.bfloat16
    x = torch.zeros(1, 1, 16, 64, dtype=dtype, device=device)
    try:
        with sdpa_kernel(backend):
            F.scaled_dot_product_attention(x, x, x, is_causal=True)
    except RuntimeError as error:
        raise ValueError(
            f'attention must not be "{name}" on {device} with PyTorch {torch.__version__}, which '
            f"has no such kernel there: {str(error).splitlines()[0]}"
        ) from None
    try:
        with sdpa_kernel(backend):
            yield
    except RuntimeError as error:
        if not str(error).startswith(("No available kernel", "No viable backend")):
            raise
        raise ValueError(
            f'attention="{name}" cannot compute an attention that was asked of it, because of its '
            'mask, dropout, dtype or shape; "math" computes any, None lets PyTorch choose'
        ) from error
