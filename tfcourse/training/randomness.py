"""The random generators that a model or its data may use: seed, save and restore them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch


def start(seed: int) -> None:
    """Seed PyTorch, NumPy and Python."""
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)


def state() -> dict[str, Any]:
    """The state of each generator, in tensors, lists and numbers."""
    version, words, gauss = random.getstate()
    theirs: Any = np.random.get_state()
    name, keys, *rest = theirs
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
        "python": [version, list(words), gauss],
        "numpy": [name, torch.from_numpy(keys.astype(np.int64)), *rest],
    }


def restore(kept: dict[str, Any]) -> None:
    """Restore a :func:`state`; those of GPUs too if there are equally many."""
    torch.set_rng_state(kept["torch"])
    if kept["cuda"] and len(kept["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(kept["cuda"])
    version, words, gauss = kept["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = kept["numpy"]
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Restore the generators afterwards, so that more validations do not change training."""
    kept = state()
    try:
        yield
    finally:
        restore(kept)
