"""Runs whose results are kept as records: what the scripts in ``benchmarks/`` share."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from typing import Any

import torch

from tfcourse import presets
from tfcourse.runs.running import run


def measure(
    name: str, changes: Mapping[str, Any] | None = None, *, device: str | None = None
) -> dict[str, Any]:
    """Run a preset in a folder that is removed again.

    Parameters
    ----------
    name, changes:
        As for :func:`tfcourse.presets.load`.
    device:
        As for :func:`tfcourse.runs.run`.

    Returns
    -------
    measured
        The preset's name, the changes, what :func:`tfcourse.runs.run` gives, and
        ``"seconds in all"``, from reading the corpus to the last measure.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        results = run(presets.load(name, changes), folder, device=device)
    seconds = round(time.perf_counter() - began, 1)
    return {"preset": name, "changes": dict(changes or {}), **results, "seconds in all": seconds}


def short(**more: Any) -> dict[str, Any]:
    """Changes that make any preset's run so short that it only shows that it runs."""
    return {"training.steps": 4, "training.warmup": 1, "training.validate_every": 4} | more


def need_cuda() -> None:
    """Stop, saying why, where there is no GPU.

    Raises
    ------
    SystemExit
        Where PyTorch finds none.
    """
    if not torch.cuda.is_available():
        raise SystemExit(
            "This is measured on a GPU, and PyTorch finds none here (torch.cuda.is_available() is "
            "False). Run it on a machine with an NVIDIA GPU and a CUDA build of PyTorch."
        )
