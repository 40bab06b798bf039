"""Everything that needs a GPU, and nothing else: what `make gpu` runs.

The CUDA tests, ours against its peers, a translator's step, the large presets, the measurements
whose answer depends on the size, and the chapters with ``TFCOURSE_SIZE=full``. The parts run in the
order of their value per minute, so a GPU that is available for a short time is used for what
matters most. A finished part is not run again; one that was stopped resumes from its last
checkpoint. Finished and partial work is in ``_build/gpu``, records in ``benchmarks/records``. A
missing corpus, like any other failure, stops the part that needs it, not the others. ``--list``
shows the parts, ``--only`` runs some, ``--again`` repeats finished ones, ``--minutes`` leaves out
what would not fit into the remaining time.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from multi30k import several

from coursebook import course, full_size, records
from coursebook.measuring import measure, need_cuda
from tfcourse import presets

#: The tests that need CUDA, or that do more if there is one.
TESTS = (
    "tests/tfcourse/kernels",
    "tests/tfcourse/models/test_second_device.py",
    "tests/tfcourse/training/test_fit.py",
    "tests/tfcourse/recurrent/test_recurrent.py",
)


#: Where parts keep finished and partial work.
FOLDER = course.root() / "_build" / "gpu"


@dataclass(frozen=True)
class Part:
    """One thing to run.

    Attributes
    ----------
    about:
        What it is.
    minutes:
        Approximate time on one recent data-centre GPU, estimated from its operations.
    value:
        Its value relative to the others, from 1 to 10; parts run in the order of value per minute.
    run:
        Runs it, given a folder of its own, which may hold what an earlier run left.
    """

    about: str
    minutes: float
    value: int
    run: Callable[[Path], None]


def tests(folder: Path) -> None:
    """The CUDA tests. Other tests of these files run too; only a failure stops."""
    _call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS])


def script(name: str, *, resumed: bool = False) -> Callable[[Path], None]:
    """A script that measures on the GPU, with its own record; it may keep finished parts."""

    def run(folder: Path) -> None:
        keep = ["--keep", str(folder)] if resumed else []
        path = course.script_paths(course.root())[name].relative_to(course.root())
        _call([sys.executable, str(path), "--device", "cuda", *keep])

    return run


def preset(name: str, *seeds: int) -> Callable[[Path], None]:
    """A preset, with its own seed or with each of ``seeds``, written to the record of its name.

    In a separate process: after some errors on a GPU a process cannot use it again.
    """

    def run(folder: Path) -> None:
        if multiprocessing.parent_process() is None:
            process = multiprocessing.get_context("spawn").Process(target=run_part, args=(name,))
            process.start()
            process.join()
            if process.exitcode:
                raise RuntimeError(f"its process ended with {process.exitcode}")
            return
        if seeds:
            results = several(name, list(seeds), "cuda", {}, folder)
        else:
            results = measure(name, device="cuda", folder=folder)
        seed = seeds[0] if seeds else presets.load(name).training.seed
        records.write(name, results, seed=seed, device="cuda")

    return run


def chapter(path: Path) -> Callable[[Path], None]:
    """A chapter at full size, in ``folder``; its output goes to its record."""

    def run(folder: Path) -> None:
        _call(
            [sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute",
             "--ExecutePreprocessor.timeout=-1", "--output-dir", str(folder), str(path)],
            TFCOURSE_SIZE="full",
        )  # fmt: skip
        laptop, full = (nbformat.read(p, as_version=4) for p in (path, folder / path.name))
        results = {"cells": full_size.beside(laptop, full)}
        records.write(full_size.record_name(path), results, seed=0, device="cuda")

    return run


def run_part(name: str) -> None:
    """Run one part in this process; it resumes earlier work."""
    own = FOLDER / name
    own.mkdir(parents=True, exist_ok=True)
    parts()[name].run(own)


def _call(command: list[str], **more: str) -> None:
    root = course.root()
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": path, **more}, check=True)


def parts() -> dict[str, Part]:
    """Every part by name, in the order in which they are run."""
    found = {
        "cuda-tests": Part("the tests that need CUDA", 3, 13, tests),
        "translation-speed-gpu": Part(
            "what a translator's step costs", 3, 5, script("translation_speed")
        ),
        "attention-speed-gpu": Part(
            "attention and our kernel beside PyTorch's", 2, 8, script("attention_speed")
        ),
        "generation-speed-gpu": Part(
            "GPT-2 writes, beside Hugging Face", 4, 9, script("generation_speed")
        ),
        "package-speed-gpu": Part(
            "training steps beside Hugging Face and PyTorch", 5, 9, script("package_speed")
        ),
        "serial-time-gpu": Part(
            "recurrent nets and attention by length", 1, 3, script("serial_time")
        ),
        "parallel-text-gpu": Part(
            "a text model's loss against the clock, beside LSTM and GRU", 10, 9,
            script("parallel_text", resumed=True),
        ),
        "rotary-longer-gpu": Part(
            "rotary positions beyond windows of 1,024 tokens of real text", 15, 9,
            script("rotary_longer", resumed=True),
        ),
        "vision-arrows-gpu": Part(
            "a vision transformer and its rivals on larger drawings", 25, 4,
            script("vision_arrows", resumed=True),
        ),
        "block-training-gpu": Part(
            "the norm before, after or not at all, with 12 and 24 blocks", 45, 6,
            script("block_training", resumed=True),
        ),
        "tying-vocabulary-gpu": Part(
            "tying with 8,192 and 32,768 tokens", 80, 5,
            script("tying_vocabulary", resumed=True),
        ),
        "tinyshakespeare-gpu": Part("nanoGPT's GPU setting", 6, 9, preset("tinyshakespeare-gpu")),
        "multi30k-de-en": Part("a translator, 3 seeds", 15, 8, preset("multi30k-de-en", 1, 2, 3)),
        "multi30k-en-de": Part("the other way", 15, 4, preset("multi30k-en-de", 1, 2, 3)),
        "cifar10-vit": Part("a vision transformer on photographs", 20, 5, preset("cifar10-vit")),
        "imdb-bert-gpu": Part("BERT small on all of IMDb", 25, 4, preset("imdb-bert-gpu")),
    }  # fmt: skip
    root = course.root()
    for path in (*course.chapter_paths(root), *course.evidence_paths(root)):
        if "tfcourse.runs.size" in path.read_text("utf-8"):
            name = course.short_name(path)
            found[name.replace("/", "-")] = Part(f"{name} at full size", 10, 3, chapter(path))
    return dict(sorted(found.items(), key=lambda one: -one[1].value / one[1].minutes))


def main() -> None:
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the parts and stop")
    parser.add_argument("--only", nargs="+", choices=list(known), help="only these")
    parser.add_argument("--again", action="store_true", help="finished parts too")
    parser.add_argument("--minutes", type=float, default=math.inf, help="available GPU time")
    choice = parser.parse_args()
    chosen = choice.only or list(known)
    done = {name: FOLDER / f"{name}.done" for name in known}
    if choice.list:
        for name in chosen:
            state = "done" if done[name].is_file() else f"about {known[name].minutes:g} min"
            print(f"{name:24s} {state:14s} {known[name].about}")
        left = sum(known[name].minutes for name in chosen if not done[name].is_file())
        print(f"{'in all':24s} about {left:g} min")
        return
    need_cuda()
    failed, started = [], time.perf_counter()
    for name in chosen:
        if done[name].is_file() and not choice.again:
            print(f"{name}: done before", flush=True)
            continue
        began = time.perf_counter()
        if known[name].minutes > choice.minutes - (began - started) / 60:
            print(f"{name}: left for another time", flush=True)
            continue
        print(f"{name}: {known[name].about}, about {known[name].minutes:g} min", flush=True)
        try:
            run_part(name)
        except Exception as error:  # whatever it is, the others still run
            failed.append(f"{name}: {type(error).__name__}: {error}")
            print(failed[-1], flush=True)
            continue
        minutes = (time.perf_counter() - began) / 60
        done[name].write_text(f"{minutes:.1f} min\n")
        print(f"{name}: {minutes:.1f} min", flush=True)
    print(f"in all: {(time.perf_counter() - started) / 60:.1f} min", flush=True)
    if failed:
        raise SystemExit("Not done:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
