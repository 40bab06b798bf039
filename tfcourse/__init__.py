"""The companion package of the course *Attention to Transformers*.

Blocks know nothing of models, models nothing of training, and nothing knows of grading. Each part
is loaded when it is first used: ``import tfcourse`` alone loads nothing, not even PyTorch.
"""

from __future__ import annotations

import importlib
from types import ModuleType

__version__ = "0.1.0"

#: What ``tfcourse.NAME`` loads.
_PARTS = (
    "attention", "batching", "data", "devices", "evaluation", "generation", "kernels", "layers",
    "models", "positions", "presets", "pretrained", "properties", "recurrent", "runs", "tokenizers",
    "training", "trees",
)  # fmt: skip


def __getattr__(name: str) -> ModuleType:
    if name in _PARTS:
        return importlib.import_module(f"tfcourse.{name}")
    raise AttributeError(f"module 'tfcourse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_PARTS]
