"""Runs: carry out a preset, from its corpus to a folder with a trained and evaluated model.

:func:`prepare` turns a preset into data, tokenizers, a model and its loss; :func:`run` trains and
evaluates. ``tfcourse train``, ``translate`` and ``generate`` do the same from a terminal.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfcourse.runs.running import prepare, run
    from tfcourse.runs.task import Task
    from tfcourse.runs.translation import translate

__all__ = ["Task", "prepare", "run", "translate"]

#: Where each is defined. They need PyTorch, which ``tfcourse --help`` must not wait for.
_MODULES = {"prepare": "running", "run": "running", "Task": "task", "translate": "translation"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
