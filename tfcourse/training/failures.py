"""What ends training early: Ctrl-C, or a loss or gradient that is not finite."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tfcourse.training.history import History


class Seen(NamedTuple):
    """A batch of the failed step: its pass, its index there from 0, and its mean loss."""

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
    path, checkpoint:
        A file with the same content, ``{"step": …, "batches": [{"epoch": …, "index": …, "loss": …,
        "batch": …}]}``, for ``torch.load(path, weights_only=True)``, and the last good checkpoint;
        ``None`` without a checkpoint folder.
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
        what = f"the gradient's norm is {norm}" if math.isfinite(loss) else f"the loss is {loss}"
        kept = f"kept in {path}" if path else "kept in this error's `batches`"
        last = f"the last checkpoint is {checkpoint}" if checkpoint else "there is no checkpoint"
        super().__init__(
            f"step {step} cannot be taken: {what} ({which}, {kept}); {last}. Look for a logarithm "
            "or a division of 0, a row with nothing to attend to, or too high a learning rate"
        )
        self.step, self.batches, self.path, self.checkpoint = step, batches, path, checkpoint


def save_batches(path: Path, step: int, batches: list[Seen]) -> Path:
    """Save the batches of a step for inspection."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"step": step, "batches": [plain(b._asdict()) for b in batches]}, path)
    return path


def plain(thing: Any) -> Any:
    """The same as dicts, lists and tensors on the CPU, which can be read without running code."""
    if isinstance(thing, Tensor):
        return thing.detach().cpu()
    if isinstance(thing, Mapping):
        return {key: plain(part) for key, part in thing.items()}
    if isinstance(thing, list | tuple):
        return [plain(part) for part in thing]
    return thing if isinstance(thing, str | int | float | bool | None) else repr(thing)


class Interrupted(KeyboardInterrupt):
    """Training was stopped by Ctrl-C after a complete step; ``history`` covers it up to then.

    The model holds the weights of its last step.
    """

    def __init__(self, message: str, history: History) -> None:
        super().__init__(message)
        self.history = history


class Interrupts:
    """Context in which the first Ctrl-C is noted; a second one interrupts at once, as usual.

    Nothing changes outside the main thread, since only that receives signals in Python, nor if
    Ctrl-C is ignored, as in the background jobs of a shell script.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None  # as Python returns it: a function, or a number

    def __enter__(self) -> Interrupts:
        ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        if threading.current_thread() is threading.main_thread() and not ignored:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._put_back()

    def _put_back(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def __exit__(self, *_: object) -> None:
        self._put_back()
