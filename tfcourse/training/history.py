"""The history of training: values of each step and each validation, ready for plotting."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

#: The values kept for each step.
COLUMNS = ("loss", "lr", "norm", "tokens", "seconds")


class History:
    """Values of each step, in lists of equal length, and of each validation.

    Attributes
    ----------
    loss, tokens, norm:
        Mean over the step's tokens, before the step was taken, their number, and the norm of the
        mean's gradient, before clipping.
    lr, seconds:
        Learning rate, and how long the step took, without validation and checkpoints.
    validation:
        Lists of equal length by name: ``"step"``, and what ``validate`` returned.
    """

    def __init__(self) -> None:
        self.loss: list[float] = []
        self.lr: list[float] = []
        self.norm: list[float] = []
        self.tokens: list[float] = []
        self.seconds: list[float] = []
        self.validation: dict[str, list[float]] = {}

    def __len__(self) -> int:
        """Number of steps taken."""
        return len(self.loss)

    def __repr__(self) -> str:
        last = f", loss {self.loss[-1]:.4f}" if self.loss else ""
        return f"History({len(self)} steps{last})"

    @property
    def steps(self) -> range:
        """The numbers of the steps, from 1: the x axis for the lists."""
        return range(1, len(self) + 1)

    @property
    def tokens_per_second(self) -> float:
        """Throughput over all steps; 0 before the first."""
        return sum(self.tokens) / sum(self.seconds) if self.loss else 0.0

    def add(self, *, loss: float, lr: float, norm: float, tokens: float, seconds: float) -> None:
        """Add a step."""
        for name, value in zip(COLUMNS, (loss, lr, norm, tokens, seconds), strict=True):
            getattr(self, name).append(value)

    def add_validation(self, found: Mapping[str, float]) -> None:
        """Add the validation after the last step; it must have the same names each time."""
        found = {"step": len(self), **{key: float(value) for key, value in found.items()}}
        if self.validation and list(found) != list(self.validation):
            raise ValueError(
                f"validate must return the same names each time, {list(self.validation)[1:]}, "
                f"got {list(found)[1:]}"
            )
        for name, value in found.items():
            self.validation.setdefault(name, []).append(value)

    def best(self, higher: bool = False) -> tuple[int, float] | None:
        """Step and value of the best validation, by the first value of ``validate``.

        ``higher`` says whether higher is better, as for BLEU; ``None`` before any validation.
        """
        if not self.validation:
            return None
        steps, values = list(self.validation.values())[:2]
        worst = -math.inf if higher else math.inf
        ranked = [worst if math.isnan(value) else value for value in values]
        place = (max if higher else min)(range(len(ranked)), key=ranked.__getitem__)
        return int(steps[place]), values[place]

    def to_csv(self, path: str | Path) -> Path:
        """Write a row for each step, in enough digits to restore the same numbers.

        Columns are ``step``, loss, lr, norm, tokens, seconds, and ``validation_NAME`` for each
        validation value, empty if there was none.
        """
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            validated = [f"validation_{name}" for name in list(self.validation)[1:]]
            writer.writerow(["step", *COLUMNS, *validated])
            found = {int(step): rest for step, *rest in zip(*self.validation.values(), strict=True)}
            for step in self.steps:
                numbers = [getattr(self, name)[step - 1] for name in COLUMNS]
                writer.writerow([step, *numbers, *found.get(step, [""] * len(validated))])
        return path

    def state_dict(self) -> dict[str, Any]:
        """The whole history, to the last bit, as tensors."""

        def exact(values: list[float]) -> torch.Tensor:
            return torch.tensor(values, dtype=torch.float64)

        return {
            **{name: exact(getattr(self, name)) for name in COLUMNS},
            "validation": {name: exact(values) for name, values in self.validation.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore a :meth:`state_dict`."""
        for name in COLUMNS:
            setattr(self, name, state[name].tolist())
        self.validation = {name: values.tolist() for name, values in state["validation"].items()}
