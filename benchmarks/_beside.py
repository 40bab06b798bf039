"""Compare ours with its peers, alternating in one process: times, memory, rows of a record.

A row is one task at one size. It holds, for each way to do it, milliseconds and values derived from
them; the ratio of each peer's time to ours; and the goal that was set. The site draws these rows:
``coursebook/sphinx/peers.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.autograd import DeviceType

from coursebook import records
from coursebook.measuring import keeper, need_cuda

OURS = "tfcourse"
#: Bfloat16 operations and bytes of memory per second of each card, by the vendor's data sheets.
CARDS = {
    "H200": (989e12, 4.8e12),
    "H100 PCIe": (756e12, 2.0e12),
    "H100": (989e12, 3.35e12),
    "A100": (312e12, 2.0e12),
}


def wait(device: str) -> None:
    """A GPU works asynchronously: wait until it is done."""
    if device == "cuda":
        torch.cuda.synchronize()


class Warmed(Exception):
    """Every way has run once, and its times are not wanted."""


def alternating(
    ways: Mapping[str, Callable[[], object]],
    repeats: int,
    device: str = "cpu",
    warm: int = 3,
    after_itself: bool = False,
) -> dict[str, list[float]]:
    """Milliseconds of each run of each way; they take turns, so that a busy moment affects all.

    The order is drawn for each round, so that none always follows the same other one. With
    ``after_itself`` each is preceded by an untimed run of its own: after a way that uses much
    memory, runs of a few milliseconds were seen to take longer. Without ``repeats`` it ends in
    :class:`Warmed`: all is compiled then.
    """
    seen: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        for _ in range(warm):
            way()
    if not repeats:
        raise Warmed
    order, draw = list(ways.items()), random.Random(0)
    for _ in range(repeats):
        draw.shuffle(order)
        for name, way in order:
            if after_itself:
                way()
            wait(device)
            start = time.perf_counter()
            way()
            wait(device)
            seen[name].append(1000 * (time.perf_counter() - start))
    return seen


def row(
    work: str,
    size: str,
    seen: Mapping[str, list[float]],
    *,
    goal: Mapping[str, float],
    unit: str = "ms",
    amount: float | None = None,
) -> dict[str, Any]:
    """A row of the record.

    Parameters
    ----------
    work, size:
        The task, and its size, including the number format.
    seen:
        The result of :func:`alternating`.
    goal:
        For peers, the minimum ratio of their time to ours.
    unit, amount:
        What is counted in addition to milliseconds, and its amount per run: ``"tokens / s"``.
    """
    ways = {name: {"ms": round(statistics.median(times), 3)} for name, times in seen.items()}
    if amount is not None:
        for way in ways.values():
            way[unit] = round(1000 * amount / way["ms"])
    ours = seen[OURS]
    return {
        "work": work,
        "size": size,
        "unit": unit,
        "ways": ways,
        "peer / ours in time, median of neighbouring runs": {
            name: round(statistics.median(t / o for t, o in zip(times, ours, strict=True)), 3)
            for name, times in seen.items()
            if name != OURS
        },
        "goal": dict(goal),
    }


def roof(device: str, repeats: int = 9) -> dict[str, Any]:
    """The peak operations and bytes per second: of a known card by its data sheet, else measured.

    Measurements are in float32: the fastest of some products of square matrices, and of some
    copies.
    """
    if device == "cuda":
        name = torch.cuda.get_device_name()
        for card, (operations, moved) in CARDS.items():
            if card in name:
                return {"operations / s": operations, "bytes / s": moved, "from": "data sheet"}
    side, numbers = (8192, 2**28) if device == "cuda" else (1536, 2**25)
    a, b = torch.randn(2, side, side, device=device).unbind()
    x, y = torch.randn(2, numbers, device=device).unbind()
    ways = {"product": lambda: a @ b, "copy": lambda: y.copy_(x)}
    best = {name: min(ms) / 1000 for name, ms in alternating(ways, repeats, device).items()}
    return {
        "operations / s": round(2 * side**3 / best["product"]),
        "bytes / s": round(2 * 4 * numbers / best["copy"]),  # read and written
        "from": "measured in float32",
    }


def peak() -> float:
    """The peak memory of this process, in MiB.

    ``ru_maxrss`` would start at the parent's value, which a new program inherits.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not report a process's peak memory (VmHWM)")


def _grown(make: Callable[..., Mapping[str, Callable]], sizes: dict, name: str) -> float:
    torch.set_num_threads(2)
    way = make(**sizes)[name]
    before = peak()
    for _ in range(3):
        way()
    return round(peak() - before, 1)


def memory(
    make: Callable[..., Mapping[str, Callable]], sizes: dict[str, Any], device: str = "cpu"
) -> dict[str, float]:
    """MiB by which the peak grows in three runs of each way that ``make(**sizes)`` returns.

    On a CPU each way has its own new process, and what was allocated before is not counted. On a
    GPU it is the card's memory, one way after another in this process.
    """
    if device == "cuda":
        found = {}
        for name, way in make(**sizes).items():
            way()
            before = torch.cuda.memory_allocated()
            torch.cuda.reset_peak_memory_stats()
            for _ in range(3):
                way()
            found[name] = round((torch.cuda.max_memory_allocated() - before) / 2**20, 1)
        return found
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        names = list(make(**sizes))
        return {name: pool.submit(_grown, make, sizes, name).result() for name in names}


def profile(step: Callable[[], object], device: str = "cpu", runs: int = 4) -> dict[str, float]:
    """The fraction of a step's time taken by each of the five slowest operators alone."""
    step()
    kinds = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        kinds.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=kinds) as events:
        for _ in range(runs):
            step()
        wait(device)
    took = {
        event.key: event.self_device_time_total if device == "cuda" else event.self_cpu_time_total
        for event in events.key_averages()
        if event.device_type == DeviceType.CPU  # its kernels are events too: they would count twice
    }
    longest = sorted(took, key=took.__getitem__, reverse=True)[:5]
    return {name: round(took[name] / sum(took.values()), 3) for name in longest}


#: Rows to measure: for each its name, and what measures it.
Rows = Iterator[tuple[str, Callable[[], dict[str, Any]]]]
REPEATS = 12


def keep(
    name: str, about: str, rows: Callable[[str, bool, int], Rows], *, seed: int, threads: int = 2
) -> None:
    """The main function of a script of such rows: ``--device cuda`` writes the record ``NAME-gpu``.

    ``rows(device, quick, repeats)`` yields them. Each is printed and kept as it comes, in a partial
    record that replaces the complete one at the end, and in ``--keep FOLDER``, from where a run
    that was stopped is resumed. ``--quick`` only shows that the script runs; ``--warm`` compiles
    what the rows that are not kept yet need, and measures nothing.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="runs of each (%(default)s)")
    parser.add_argument("--keep", type=Path, help="where to store finished rows")
    parser.add_argument("--quick", action="store_true", help="a short run; writes no record")
    parser.add_argument("--warm", action="store_true", help="compile; no times and no record")
    choice = parser.parse_args()
    if choice.device == "cuda":
        need_cuda()
    torch.set_num_threads(threads)
    # How it was split into runs is not part of the record.
    sys.argv[1:] = ["--device", "cuda"] if choice.device == "cuda" else []
    if choice.repeats != REPEATS:
        sys.argv += ["--repeats", str(choice.repeats)]
    gpu, found = "-gpu" if choice.device == "cuda" else "", []
    once = keeper(None if choice.quick else choice.keep)
    repeats = 0 if choice.warm else 1 if choice.quick else choice.repeats
    recorded = not (choice.quick or choice.warm)
    for part, work in rows(choice.device, choice.quick, repeats):
        with contextlib.suppress(Warmed):
            found.append(once(re.sub(r"\W+", "-", part), work))
        if recorded:
            write = partial(records.write, name + gpu, {"rows": found}, seed=seed)
            write(device=choice.device, finished=False)
    if recorded:
        print(write(device=choice.device).name)
