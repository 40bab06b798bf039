"""The default device, and the most precise dtype it supports."""

from __future__ import annotations

import torch


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
