"""Times that are kept pass by pass, with freed memory kept: code shared by scripts."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def malloc(limit: int) -> dict[str, str]:
    """Settings by which glibc requests and returns blocks from this size on from the system."""
    return {"MALLOC_MMAP_THRESHOLD_": str(limit), "MALLOC_TRIM_THRESHOLD_": str(limit)}


#: The memory allocator keeps freed memory.
KEPT = malloc(2**34)


def alternating(ways: dict[Any, Callable], repeats: int) -> dict[Any, list[float]]:
    """Processor time of each run of each way, in ms; the first run of each is not counted."""
    seen: dict[Any, list[float]] = {name: [] for name in ways}
    for run in range(repeats + 1):
        for name, way in ways.items():
            start = time.process_time()
            way()
            if run:
                seen[name].append(round(1000 * (time.process_time() - start), 4))
    return seen


def medians(seen: dict[Any, list[float]], digits: int = 4) -> dict[Any, float]:
    """The median of each way's times."""
    return {name: round(statistics.median(times), digits) for name, times in seen.items()}


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
