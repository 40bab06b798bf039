"""The settings of a run: checked before it starts, and compared when it resumes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tfcourse.arguments import above_zero, at_least_one
from tfcourse.training.distributed import WAYS
from tfcourse.training.schedules import Schedule


@dataclass(frozen=True)
class Settings:
    """The arguments of :func:`~tfcourse.training.fit` that say how to train."""

    loss: Callable
    steps: int
    lr: float | Schedule | Callable[[int], float]
    optimiser: Callable[[nn.Module], torch.optim.Optimizer]
    clip: float | None
    accumulate: int
    autocast: str | None
    compile: bool
    parallel: str
    seed: int
    max_seconds: float | None
    validate_every: int | None
    checkpoint_every: int | None
    keep: int

    def __post_init__(self) -> None:
        at_least_one(steps=self.steps, accumulate=self.accumulate)
        for name in ("validate_every", "checkpoint_every"):
            if getattr(self, name) is not None:
                at_least_one(**{name: getattr(self, name)})
        for name in ("clip", "max_seconds"):
            if getattr(self, name) is not None:
                above_zero(**{name: getattr(self, name)})
        if not callable(self.lr):
            above_zero(lr=self.lr)
        if self.keep < 2:
            raise ValueError(
                f"keep must be at least 2, in case the newest is damaged, got {self.keep}"
            )
        if self.seed < 0:
            raise ValueError(f"seed must be at least 0, got {self.seed}")
        if self.parallel not in WAYS:
            raise ValueError(f"parallel must be one of {list(WAYS)}, got {self.parallel!r}")
        if self.autocast not in (None, "bfloat16"):
            raise ValueError(
                f'autocast must be None or "bfloat16", whose range is that of float32, got '
                f"{self.autocast!r}"
            )

    def rate(self, step: int) -> float:
        """The learning rate of a step."""
        return self.lr(step) if callable(self.lr) else self.lr

    def cast(self, device: torch.device) -> AbstractContextManager:
        """Context in which matrices are multiplied in the dtype of ``autocast``."""
        if self.autocast is None:
            return nullcontext()
        return torch.autocast(device.type, getattr(torch, self.autocast))

    def validates(self, step: int, last: bool) -> bool:
        """Whether there is a validation after this step."""
        return last or (self.validate_every is not None and step % self.validate_every == 0)

    def keeps(self, step: int, last: bool) -> bool:
        """Whether there is a checkpoint after this step."""
        return last or step % (self.checkpoint_every or max(1, self.steps // 10)) == 0

    def check_loss(self, mean: Any) -> None:
        """Raise ``ValueError`` if training cannot use what a loss returned."""
        if not isinstance(mean, Tensor) or mean.dim() or not mean.requires_grad:
            got = f"a {type(mean).__name__}"
            if isinstance(mean, Tensor):
                got = f"a tensor {tuple(mean.shape)}, requires_grad={mean.requires_grad}"
            raise ValueError(
                f"loss must return (mean, count), the mean a scalar tensor that has a "
                f"gradient, got {got}"
            )

    def describe(self, model: nn.Module, batches: Iterable[Any], world: int) -> dict[str, Any]:
        """The settings that must be the same when a run resumes.

        ``steps`` is not among them: a run may be extended, if its schedule allows.
        """
        lr = self.lr
        return {
            "model": f"{type(model).__name__}: {getattr(model, 'config', 'no config')!r}",
            "parameters": digest(model.named_parameters()),
            "batches": type(batches).__name__,
            "loss": _name(self.loss),
            "lr": _name(lr) if callable(lr) and not isinstance(lr, Schedule) else repr(lr),
            "optimiser": _name(self.optimiser),
            "clip": self.clip,
            "accumulate": self.accumulate,
            "autocast": self.autocast,
            "compile": self.compile,
            "seed": self.seed,
            "processes": world if world == 1 else f"{world}, {self.parallel}",
        }


def digest(named: Iterable[tuple[str, Tensor]]) -> str:
    """A short hash of the parameters' names, shapes and dtypes."""
    shapes = [(name, tuple(p.shape), str(p.dtype)) for name, p in named]
    return hashlib.sha256(repr(shapes).encode()).hexdigest()[:16]


def _name(thing: Callable) -> str:
    """A name that is the same in every process: no address in memory."""
    if isinstance(name := getattr(thing, "__qualname__", None), str):
        return name
    said = repr(thing)
    return type(thing).__name__ if " at 0x" in said else said
