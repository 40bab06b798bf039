"""Reports on training while it runs: a progress bar, a CSV file, TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfcourse.training.history import History


class Reports:
    """Context in which each of ``steps`` steps and each validation is reported, if requested.

    ``progress`` shows a bar with loss, tokens per second and the time left; ``log`` is a file that
    ends in ``.csv``, or a folder for TensorBoard, or several.
    """

    def __init__(self, history: History, steps: int, progress: bool, log: Any) -> None:
        self.history, self.steps = history, steps
        paths = [log] if isinstance(log, str | Path) else list(log or ())
        self.tables = [Path(p) for p in paths if Path(p).suffix == ".csv"]
        self.folders = [Path(p) for p in paths if Path(p).suffix != ".csv"]
        self.writers: list[Any] = []
        self.bar = _bar(steps) if progress else None

    def __enter__(self) -> Reports:
        for folder in self.folders:
            self.writers.append(_tensorboard(folder, len(self.history) + 1))
        if self.bar is not None:
            self.bar.start()
            self.task = self.bar.add_task(
                "", total=self.steps, completed=len(self.history), says=""
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        self.write()
        for writer in self.writers:
            writer.close()

    def step(self) -> None:
        """Report the last step."""
        history, step = self.history, len(self.history)
        for writer in self.writers:
            for name in ("loss", "lr", "norm"):
                writer.add_scalar(f"training/{name}", getattr(history, name)[-1], step)
            speed = history.tokens[-1] / max(history.seconds[-1], 1e-9)
            writer.add_scalar("training/tokens_per_second", speed, step)
        if self.bar is not None:
            recent = slice(-50, None)
            weight = sum(history.tokens[recent])
            pairs = zip(history.loss[recent], history.tokens[recent], strict=True)
            loss = sum(x * n for x, n in pairs) / weight
            speed = weight / sum(history.seconds[recent])
            self.bar.update(
                self.task, completed=step, says=f"loss {loss:.3f}  {speed:,.0f} tokens/s"
            )

    def validation(self) -> None:
        """Report the last validation."""
        for name, values in list(self.history.validation.items())[1:]:
            for writer in self.writers:
                writer.add_scalar(f"validation/{name}", values[-1], len(self.history))
        self.write()

    def write(self) -> None:
        """Rewrite the tables, so that they match the history even after resuming."""
        for path in self.tables:
            self.history.to_csv(path)


def _bar(steps: int) -> Any:
    from rich import progress as rich

    return rich.Progress(
        rich.MofNCompleteColumn(), rich.BarColumn(), rich.TextColumn("{task.fields[says]}"),
        rich.TimeRemainingColumn(), rich.TextColumn("left"),
    )  # fmt: skip


def _tensorboard(folder: Path, first: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise ValueError(
            f"log must be a file that ends in .csv if TensorBoard is not installed, got "
            f"{folder}. `pip install tensorboard` installs it"
        ) from None
    return SummaryWriter(str(folder), purge_step=first)
