"""Runs whose results are stored as records: code shared by scripts."""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from coursebook import records
from tfcourse import presets
from tfcourse.runs.running import run


def measure(
    name: str,
    changes: Mapping[str, Any] | None = None,
    *,
    device: str | None = None,
    folder: str | Path | None = None,
) -> dict[str, Any]:
    """Run a preset.

    Parameters
    ----------
    name, changes:
        As for :func:`tfcourse.presets.load`.
    device:
        As for :func:`tfcourse.runs.run`.
    folder:
        Where to keep the run; a run that was stopped there is resumed. By default a temporary
        folder.

    Returns
    -------
    measured
        The preset's name, the changes, what :func:`tfcourse.runs.run` returns, and ``"seconds in
        all"``, from reading the corpus to the last measure.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as removed:
        results = run(
            presets.load(name, changes), removed if folder is None else folder, device=device,
            resume=folder is not None,
        )  # fmt: skip
    seconds = round(time.perf_counter() - began, 1)
    return {"preset": name, "changes": dict(changes or {}), **results, "seconds in all": seconds}


def short(**more: Any) -> dict[str, Any]:
    """Changes that shorten any preset's run to a check that it works."""
    return {"training.steps": 4, "training.warmup": 1, "training.validate_every": 4} | more


def bracketed(
    grid: Sequence[float], first: Sequence[float], cost: Callable[[float], float]
) -> tuple[float, dict[str, float | None]]:
    """Search a grid outwards until the best value has a worse one on each side.

    Parameters
    ----------
    grid:
        All values that may be tried, in order.
    first:
        The values to try first.
    cost:
        The cost of a value, such as a loss; infinite if the run diverged.

    Returns
    -------
    best, tried
        The best value; and the cost of every value tried, ``None`` if it diverged. The best one
        lies at an end of the values tried only if the grid ends there.
    """
    tried: dict[int, float] = {}
    wanted = {grid.index(value) for value in first}
    while wanted:
        for i in sorted(wanted):
            tried[i] = cost(grid[i])
        best = min(tried, key=tried.__getitem__)
        wanted = {best - 1, best + 1} & set(range(len(grid))) - set(tried)
    told = {f"{grid[i]:g}": None if math.isinf(x) else round(x, 4) for i, x in tried.items()}
    return grid[best], dict(sorted(told.items(), key=lambda pair: float(pair[0])))


def mean_end(
    end: Callable[[float, int], float | None], seeds: Sequence[int]
) -> Callable[[float], float]:
    """The mean of ``end(rate, seed)`` over seeds as a cost; infinite if one of them diverged."""

    def cost(rate: float) -> float:
        ends = [one for seed in seeds if (one := end(rate, seed)) is not None]
        return sum(ends) / len(ends) if len(ends) == len(seeds) else math.inf

    return cost


def at_its_best(
    end: Callable[[float, int], float | None],
    grid: Sequence[float],
    first: Sequence[float],
    searched: Sequence[int],
    seeds: Sequence[int],
) -> dict[str, Any]:
    """Search a variant's learning rate on some seeds, then run it at the best rate on others.

    Parameters
    ----------
    end:
        The final value of the run with a rate and a seed; ``None`` if it diverged.
    grid, first:
        As for :func:`bracketed`.
    searched, seeds:
        The seeds of the search, and those that are reported.

    Returns
    -------
    found
        ``search``, the mean over seeds at each rate tried; the best ``rate``; ``ends``, a number
        for each of ``seeds``.
    """
    rate, search = bracketed(grid, first, mean_end(end, searched))
    return {"search": search, "rate": rate, "ends": [end(rate, seed) for seed in seeds]}


def keeper(folder: Path | None) -> Callable[[str, Callable[[], Any]], Any]:
    """Store the results of parts of a run, so that a stopped run can resume.

    Parameters
    ----------
    folder:
        Where parts are stored; without it nothing is.

    Returns
    -------
    once
        ``once(name, work)`` returns the result of ``work()``, now or from an earlier run.
    """

    def once(name: str, work: Callable[[], Any]) -> Any:
        kept = folder and folder / f"{name}.json"
        if kept and kept.is_file():
            return json.loads(kept.read_text("utf-8"))
        found = work()
        print(name, found, flush=True)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(found), "utf-8")
        return found

    return once


def keep_record(
    name: str,
    about: str,
    measured: Callable[..., dict[str, Any]],
    *,
    seed: int,
    judged_by: tuple[str, ...] = (),
    resumed: bool = False,
    sizes: Mapping[str, Any] | None = None,
) -> None:
    """The main function of a script that measures: two CPU threads, then the record.

    ``--quick`` on the command line only shows that it works: the results are printed, and no record
    is written. ``--device cuda`` measures at the size for a GPU, with matrix products in TF32, as
    cuDNN's recurrent nets and convolutions have them anyway.

    Parameters
    ----------
    name:
        The record's name; that of a GPU ends in ``-gpu``.
    about:
        What the script measures, for its ``--help``.
    measured:
        Returns the results, given whether to be quick; if ``resumed``, the function that stores its
        parts; and, with ``sizes``, a size and the device.
    seed:
        The seed stored in the record.
    judged_by:
        Claims whose verdicts will rest on the record: their conditions must be committed before the
        run, and are stored in the record.
    resumed:
        Whether finished parts are kept in ``--keep FOLDER``.
    sizes:
        What to measure on each device, ``"cpu"`` and ``"cuda"``, and ``"quick"``, if it depends on
        the device; otherwise there is only a CPU.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help="a few steps; writes no record")
    if resumed:
        parser.add_argument("--keep", type=Path, help="where to store finished parts")
    if sizes:
        parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    choice = parser.parse_args()
    quick, device = choice.quick, choice.device if sizes else "cpu"
    if device == "cuda":
        need_cuda()
        torch.set_float32_matmul_precision("high")
    stated = records.conditions(*judged_by) if judged_by and not quick else None
    torch.set_num_threads(2)
    given = [keeper(choice.keep)] if resumed else []
    results = measured(
        quick, *given, *((sizes["quick" if quick else device], device) if sizes else ())
    )
    # How it was split into runs is not part of the record.
    sys.argv[1:] = ["--device", "cuda"] if device == "cuda" else []
    if quick:
        print(results)
        return
    if device == "cuda":
        name, results = f"{name}-gpu", {**results, "float32 products": "TF32"}
    print(records.write(name, results, seed=seed, device=device, stated=stated).name)


def need_cuda() -> None:
    """Exit with an explanation if there is no GPU.

    Raises
    ------
    SystemExit
        If PyTorch finds none.
    """
    if not torch.cuda.is_available():
        raise SystemExit(
            "This is measured on a GPU, and PyTorch finds none here (torch.cuda.is_available() is "
            "False). Run it on a machine with an NVIDIA GPU and a CUDA build of PyTorch."
        )
