"""Times that are kept pass by pass, with freed memory kept: code shared by scripts."""

from __future__ import annotations

import os
import sys
from typing import Any

from attention_lengths import KEPT
from fast_attention import medians


def keep_memory() -> None:
    """Start the script again with the memory allocator set to keep freed memory.

    By default the C library asks the system for every large block anew, and the system fills each
    fresh page with zeros: the time of an operation then jumps at the length from which its blocks
    are large.
    """
    if not KEPT.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KEPT)


def with_medians(name: str, passes: dict[Any, dict[str, list[float]]]) -> dict[str, Any]:
    """For a record: the medians under ``name``, and all passes."""
    return {
        name: {key: medians(each) for key, each in passes.items()},
        f"{name}, each pass": passes,
    }
