"""Where the loss or the gradient is no number: what is known of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Seen(NamedTuple):
    """A batch of the step that failed: of which pass, its place there from 0, and the mean loss."""

    epoch: int
    index: int  # type: ignore[assignment]  # a tuple has a method of this name
    loss: float
    batch: Any


class NotFinite(FloatingPointError):
    """The loss or the gradient is NaN or infinite; the weights are those before this step.

    Attributes
    ----------
    step, batches:
        The step that was not taken, and its batches in this process, each a :class:`Seen`.
    path:
        A file with the same, ``{"step": …, "batches": [{"epoch": …, "index": …, "loss": …,
        "batch": …}]}``, for ``torch.load(path, weights_only=True)``; ``None`` without a folder for
        checkpoints.
    checkpoint:
        The last good checkpoint, or ``None``.
    """

    def __init__(
        self,
        step: int,
        loss: float,
        norm: float,
        batches: list[Seen],
        path: Path | None,
        checkpoint: Path | None,
    ) -> None:
        wrong = [b for b in batches if not math.isfinite(b.loss)] or batches
        which = ", ".join(f"batch {b.index} of pass {b.epoch}" for b in wrong)
        what = f"its gradient's length is {norm}" if math.isfinite(loss) else f"the loss is {loss}"
        kept = f"kept in {path}" if path else "kept in this error's `batches`"
        last = f"the last checkpoint is {checkpoint}" if checkpoint else "there is no checkpoint"
        super().__init__(
            f"step {step} cannot be taken: {what} ({which}, {kept}); {last}. Look for a logarithm "
            "or a division of 0, a row with nothing to attend to, or too high a learning rate"
        )
        self.step, self.batches, self.path, self.checkpoint = step, batches, path, checkpoint


def save_batches(path: Path, step: int, batches: list[Seen]) -> Path:
    """Write the batches of a step where they can be looked at."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"step": step, "batches": [plain(b._asdict()) for b in batches]}, path)
    return path


def plain(thing: Any) -> Any:
    """The same in dicts, lists and tensors on the CPU, which can be read without running code."""
    if isinstance(thing, Tensor):
        return thing.detach().cpu()
    if isinstance(thing, Mapping):
        return {key: plain(part) for key, part in thing.items()}
    if isinstance(thing, list | tuple):
        return [plain(part) for part in thing]
    return thing if isinstance(thing, str | int | float | bool | None) else repr(thing)
