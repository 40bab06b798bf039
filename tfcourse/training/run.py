"""A run: everything that changes during training, saved to checkpoints and read from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

from tfcourse.training import checkpoints, randomness
from tfcourse.training.batches import Stream
from tfcourse.training.distributed import Shared, load_optimiser, whole
from tfcourse.training.failures import NotFinite, Seen, save_batches
from tfcourse.training.history import History
from tfcourse.training.settings import Settings
from tfcourse.wrapped import names_of


class Run:
    """The model, its optimiser, its position in the data, and its history.

    ``folder`` is where checkpoints are kept, if anywhere; ``higher`` says whether higher validation
    values are better. Batches that cannot be shared among processes, or not be resumed from a
    checkpoint, raise ``ValueError``.
    """

    def __init__(
        self,
        shared: Shared,
        batches: Iterable[Any],
        settings: Settings,
        folder: str | Path | None,
        higher: bool,
    ) -> None:
        self.shared, self.team, self.settings = shared, shared.team, settings
        self.folder = None if folder is None else Path(folder)
        self.higher = higher
        self.last: Path | None = None
        self.describes = settings.describe(shared.original, batches, self.team.world)
        if self.team.world > 1:
            if not hasattr(batches, "shard"):
                raise ValueError(
                    f"batches must have shard(rank, world) to be trained on in {self.team.world} "
                    f"processes, got a {type(batches).__name__}"
                )
            batches = batches.shard(self.team.rank, self.team.world)
        self.stream, self.history = Stream(batches), History()
        if self.folder is not None and not self.stream.can_resume:
            raise ValueError(
                "batches must be a list or have state_dict() and load_state_dict(state) if "
                f"checkpoints are kept, got a {type(batches).__name__}"
            )
        self.optimiser = settings.optimiser(shared.model)
        self.elapsed = 0.0
        self.counted = 0  # the last pass in which some token counted

    def resume(self, allowed: bool) -> None:
        """Resume from the newest intact checkpoint, if there is one.

        Raises ``ValueError`` if this is not ``allowed``, all are damaged, the settings differ, or
        another version of this package wrote it.
        """
        if self.folder is None:
            return
        if not allowed and checkpoints.found(self.folder):
            raise ValueError(
                f"checkpoint must be a folder without checkpoints if resume is False, got "
                f"{self.folder}"
            )
        if self.team.leads:
            checkpoints.clear(self.folder)
        path = self.team.broadcast(checkpoints.newest(self.folder) if self.team.leads else None)
        if path is None:
            return
        _, weights, state, settings = checkpoints.read(path)
        if settings.get("model") == self.describes["model"]:
            checkpoints.check_names(path, weights, names_of(self.shared.original))
        checkpoints.compare(settings, self.describes, path)
        self.history.load_state_dict(state["history"])
        if len(self.history) > self.settings.steps:
            raise ValueError(
                f"steps must be at least {len(self.history)}, which {path} has taken, got "
                f"{self.settings.steps}"
            )
        if any(self.settings.rate(s) != r for s, r in enumerate(self.history.lr, start=1)):
            raise ValueError(f"lr must give the rates that the run in {self.folder} began with")
        self.shared.load(weights)
        load_optimiser(self.optimiser, state["optimiser"])
        own = state["processes"][self.team.rank]
        self.stream.load_state_dict(own["stream"])
        self.counted = self.stream.epoch
        randomness.restore(own["randomness"])
        self.elapsed, self.last = sum(self.history.seconds), path

    def keep(self) -> None:
        """Write a checkpoint of the step just taken, if there is a folder for it."""
        if self.folder is None:
            return
        weights, optimiser = self.shared.weights(), whole(self.optimiser.state_dict())
        own = {"stream": self.stream.state_dict(), "randomness": randomness.state()}
        state = {
            "history": self.history.state_dict(),
            "optimiser": optimiser,
            "processes": self.team.all_gather(own),
        }
        step = len(self.history)
        if self.team.leads:
            self.last = checkpoints.write(
                self.folder, step, weights, state, self.describes, self.settings.keep
            )
        else:
            self.last = self.folder / f"step-{step:08d}"

    def set_rate(self, step: int) -> float:
        """Set the learning rate of a step in every parameter group, and return it."""
        rate = self.settings.rate(step)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        return rate

    def took(self, began: float, now: float) -> float:
        """Duration of a step in seconds, as measured by process 0."""
        seconds = now - began
        if self.team.world > 1:
            (seconds,) = self.team.all_reduce([seconds if self.team.leads else 0.0])
        self.elapsed += seconds
        self.counted = self.stream.epoch
        return seconds

    def out_of_time(self) -> bool:
        """Whether the steps have used up their time."""
        limit = self.settings.max_seconds
        return limit is not None and self.elapsed >= limit

    def pass_over(self) -> None:
        """Leave out a step in which nothing counts; a whole pass of them is refused."""
        self.optimiser.zero_grad()
        if self.stream.epoch > self.counted + 1:
            raise ValueError(
                "loss must return the mean of at least one token, got count 0 for every batch of "
                f"pass {self.counted + 1}"
            )

    def gradients(self) -> tuple[list[Tensor], float]:
        """The gradients, and the norm of all of them together."""
        gradients = [p.grad for p in self.shared.model.parameters() if p.grad is not None]
        if not gradients:
            raise ValueError("loss must depend on the model's parameters: none has a gradient")
        norm = get_total_norm([g.coalesce().values() if g.is_sparse else g for g in gradients])
        return gradients, float(whole(norm))

    def validate(self, judge: Callable[[nn.Module], float | Mapping[str, float]]) -> None:
        """Validate, and save the weights if they are the best so far."""
        model = self.shared.model.eval()
        with randomness.undisturbed(), torch.no_grad(), self.settings.cast(self.team.device):
            found = judge(model)
        model.train()
        self.history.add_validation(found if isinstance(found, Mapping) else {"loss": found})
        best = self.history.best(self.higher)
        if best is None:
            return
        step, value = best
        if self.folder is not None and step == len(self.history):
            weights = self.shared.weights()
            if self.team.leads:
                checkpoints.write_best(self.folder, weights, step, value)

    def check_finite(self, loss: float, norm: float, seen: list[Seen]) -> None:
        """Raise ``NotFinite`` if the step cannot be taken; its batches are saved in a file."""
        if finite(loss, norm):
            return
        step, path = len(self.history) + 1, None
        seen = [s._replace(loss=float(s.loss)) for s in seen]
        if self.folder is not None:
            process = "" if self.team.world == 1 else f"-process-{self.team.rank}"
            path = self.folder / f"not-finite-step-{step:08d}{process}.pt"
            save_batches(path, step, seen)
        raise NotFinite(step, loss, norm, seen, path, self.last)

    def stopped(self) -> str:
        """The message for a training that was stopped."""
        kept = f"; --resume continues from {self.last}" if self.last else ""
        return f"training was stopped by Ctrl-C after step {len(self.history)}{kept}"


def finite(*numbers: float) -> bool:
    """Whether none is NaN or infinite."""
    return all(map(math.isfinite, numbers))
