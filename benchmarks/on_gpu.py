"""Everything that needs a GPU, and nothing else: what `make gpu` runs.

The CUDA tests, ours against its peers, a translator's step, the large presets, the measurements
whose answer depends on the size, and the chapters with ``TFCOURSE_SIZE=full``. It is made for a
GPU that is at hand for minutes: ``--minutes`` says how many, and the parts with the highest value
per minute are chosen. What measures times runs alone, the others side by side; these stand still
meanwhile, and what is to be timed is compiled beside them. Each is a process, stopped when the time
ends. Finished parts are not run again, stopped ones resume from
what they keep in ``--keep`` (``_build/gpu``), where compiled kernels are kept too; records are in
``benchmarks/records`` and the lessons' folders. A part that lacks a package or a corpus is left
out, and one that fails does not stop the others. ``--list`` shows the parts, ``--only`` runs some,
``--again`` repeats finished ones from the start. It runs from an unpacked archive: nothing needs to
be installed but PyTorch, jaxtyping, safetensors, regex and PyYAML.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# In an unpacked archive nothing is installed: the packages are those beside this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from _visit import Visit  # noqa: E402
from multi30k import several  # noqa: E402

from coursebook import course, records  # noqa: E402
from coursebook.measuring import measure, need_cuda  # noqa: E402
from tfcourse import presets  # noqa: E402
from tfcourse.data.real import state  # noqa: E402

#: The tests that need CUDA, or that do more if there is one.
TESTS = (
    "tests/tfcourse/kernels",
    "tests/tfcourse/models/test_second_device.py",
    "tests/tfcourse/training/test_fit.py",
    "tests/tfcourse/recurrent/test_recurrent.py",
)
TEST_PACKAGES = ("pytest", "hypothesis", "beartype")
#: What loses everything when it is stopped may take this many minutes of a visit.
AT_A_STRETCH = 4.0
#: Where minutes come from if nothing was measured.
ESTIMATE = "estimate"
H100 = "H100, 2026-11-28"


@dataclass(frozen=True)
class Part:
    """One thing to run.

    Attributes
    ----------
    about:
        What it is.
    minutes, source:
        Time on one recent data-centre GPU, and where that is from: the run that it was measured in,
        or an estimate from the operations.
    value:
        Its value relative to the others, from 1 to 10.
    run:
        Runs it, given a folder of its own, which may hold what an earlier run left.
    kept:
        Whether it resumes from that folder when it was stopped.
    alone:
        Whether it measures times, which others would disturb.
    warm:
        Compiles what it measures, if that takes long: a later run finds it in the folders of
        :func:`environment`.
    needs, corpora:
        Packages that it needs beside those of every part, and real corpora.
    """

    about: str
    minutes: float
    value: int
    run: Callable[[Path], None]
    source: str = ESTIMATE
    kept: bool = True
    alone: bool = False
    warm: Callable[[Path], None] | None = None
    needs: tuple[str, ...] = ()
    corpora: tuple[str, ...] = ()


def tests(folder: Path) -> None:
    """The CUDA tests. Other tests of these files run too; only a failure stops."""
    _call([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS])


def script(name: str, *more: str, resumed: bool = True) -> Callable[[Path], None]:
    """A script that measures on the GPU, with its own record; it may keep finished parts."""

    def run(folder: Path) -> None:
        keep = ["--keep", str(folder)] if resumed else []
        path = course.script_paths(course.root())[name].relative_to(course.root())
        _call([sys.executable, str(path), "--device", "cuda", *keep, *more])

    return run


def preset(name: str, *seeds: int) -> Callable[[Path], None]:
    """A preset, with its own seed or with each of ``seeds``, written to the record of its name."""

    def run(folder: Path) -> None:
        if seeds:
            results = several(name, list(seeds), "cuda", {}, folder)
        else:
            results = measure(name, device="cuda", folder=folder)
        seed = seeds[0] if seeds else presets.load(name).training.seed
        records.write(name, results, seed=seed, device="cuda")

    return run


def chapter(path: Path) -> Callable[[Path], None]:
    """A chapter at full size, in ``folder``; its output goes to its record. It needs Jupyter."""

    def run(folder: Path) -> None:
        import nbformat

        from coursebook import full_size

        _call(
            [sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute",
             "--ExecutePreprocessor.timeout=-1", "--output-dir", str(folder), str(path)],
            TFCOURSE_SIZE="full",
        )  # fmt: skip
        laptop, full = (nbformat.read(p, as_version=4) for p in (path, folder / path.name))
        results = {"cells": full_size.beside(laptop, full)}
        records.write(full_size.record_name(path), results, seed=0, device="cuda")

    return run


def _call(command: list[str], **more: str) -> None:
    root = course.root()
    path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    subprocess.run(command, cwd=root, env={**os.environ, "PYTHONPATH": path, **more}, check=True)


def _timings() -> dict[str, Part]:
    """The parts that measure times, and the tests."""
    return {
        "cuda-tests": Part(
            "the tests that need CUDA", 3, 13, tests, kept=False, alone=True,
            needs=TEST_PACKAGES,
            source=f"84 % of them in 1 min on six processes ({H100})",
        ),
        "translation-speed-gpu": Part(
            "what a translator's step costs", 3, 5, script("translation_speed", resumed=False),
            kept=False, alone=True, needs=("num2words",),
        ),
        "attention-speed-gpu": Part(
            "attention and our kernel beside PyTorch's", 2, 8, script("attention_speed"),
            alone=True, warm=script("attention_speed", "--warm"),
        ),
        "generation-speed-gpu": Part(
            "GPT-2 writes, beside Hugging Face", 6, 9, script("generation_speed"), alone=True,
            warm=script("generation_speed", "--warm"), needs=("transformers",),
            source=f"one of two rows in 3.2 min ({H100})",
        ),
        "package-speed-gpu": Part(
            "training steps beside Hugging Face and PyTorch", 5, 9, script("package_speed"),
            alone=True, warm=script("package_speed", "--warm"), needs=("transformers",),
        ),
        "serial-time-gpu": Part(
            "recurrent nets and attention by length", 1, 3, script("serial_time", resumed=False),
            kept=False, alone=True,
        ),
    }  # fmt: skip


def _trainings() -> dict[str, Part]:
    """The parts that train, whose results do not depend on what else the GPU does."""
    return {
        "parallel-text-gpu": Part(
            "a text model's loss against the clock, beside LSTM and GRU", 11, 9,
            script("parallel_text"), corpora=("tinyshakespeare",),
            source=f"steps of 22 to 26 ms, 25,500 of them, and the speed ({H100})",
        ),
        "rotary-longer-gpu": Part(
            "rotary positions beyond windows of 1,024 tokens of real text", 15, 9,
            script("rotary_longer"), corpora=("wikitext-2",),
        ),
        "vision-arrows-gpu": Part(
            "a vision transformer and its rivals on larger drawings", 25, 4,
            script("vision_arrows"),
        ),
        "block-training-gpu": Part(
            "the norm before, after or not at all, with 12 and 24 blocks", 45, 6,
            script("block_training"), corpora=("wikitext-2",),
        ),
        "tying-vocabulary-gpu": Part(
            "tying with 8,192 and 32,768 tokens", 80, 5, script("tying_vocabulary"),
            corpora=("wikitext-2",),
        ),
        "tinyshakespeare-gpu": Part(
            "nanoGPT's GPU setting", 6, 9, preset("tinyshakespeare-gpu"),
            corpora=("tinyshakespeare",),
        ),
        "multi30k-de-en": Part(
            "a translator, 3 seeds", 15, 8, preset("multi30k-de-en", 1, 2, 3),
            source=f"one seed took more than 4 min beside others ({H100})",
            needs=("sacrebleu",), corpora=("multi30k",),
        ),
        "multi30k-en-de": Part(
            "the other way", 15, 4, preset("multi30k-en-de", 1, 2, 3),
            needs=("sacrebleu",), corpora=("multi30k",),
        ),
        "cifar10-vit": Part(
            "a vision transformer on photographs", 20, 5, preset("cifar10-vit"),
            corpora=("cifar-10",),
        ),
        "imdb-bert-gpu": Part(
            "BERT small on all of IMDb", 25, 4, preset("imdb-bert-gpu"), corpora=("imdb",)
        ),
    }  # fmt: skip


def parts() -> dict[str, Part]:
    """Every part by name, in the order of value per minute."""
    found = _timings() | _trainings()
    root = course.root()
    for path in (*course.chapter_paths(root), *course.evidence_paths(root)):
        if "tfcourse.runs.size" in path.read_text("utf-8"):
            name = course.short_name(path)
            found[name.replace("/", "-")] = Part(
                f"{name} at full size", 10, 3, chapter(path), kept=False, needs=("nbconvert",)
            )
    return dict(sorted(found.items(), key=lambda one: -one[1].value / one[1].minutes))


class States:
    """How many minutes each part has taken so far, and whether it is finished, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.state.json"

    def of(self, name: str) -> tuple[float, bool]:
        """Minutes so far, and whether it is finished."""
        if not self._path(name).is_file():
            return 0.0, False
        state = json.loads(self._path(name).read_text("utf-8"))
        return state["minutes"], state["finished"]

    def add(self, name: str, minutes: float, finished: bool) -> None:
        """Count the minutes of a run."""
        total = round(self.of(name)[0] + minutes, 2)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(name).write_text(json.dumps({"minutes": total, "finished": finished}), "utf-8")

    def forget(self, name: str) -> None:
        """Remove what a part has kept, so that it starts anew."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        self._path(name).unlink(missing_ok=True)

    def left(self, name: str, part: Part) -> float:
        """Minutes that are probably left: a tenth of the whole at least."""
        so_far = self.of(name)[0] if part.kept else 0.0
        return max(part.minutes - so_far, part.minutes / 10)


def choose(found: dict[str, Part], states: States, minutes: float) -> dict[str, tuple[bool, str]]:
    """Whether to run each part in the minutes there are, and why; by value per minute left.

    What does not fit is still begun if it resumes another time. What takes long and keeps nothing
    is only run if there is no limit.
    """
    rest, chosen = minutes, {}
    by_value = sorted(found.items(), key=lambda one: -one[1].value / states.left(*one))
    for name, part in by_value:
        need = states.left(name, part)
        worth = f"{part.value / need:.1f} per minute, {need:.1f} min ({part.source})"
        if need > AT_A_STRETCH and not part.kept and minutes < math.inf:
            chosen[name] = False, f"takes {need:.1f} min at a stretch"
        elif need <= rest:
            chosen[name], rest = (True, worth), rest - need
        elif part.kept and rest >= 1:
            chosen[name], rest = (True, f"{worth}; begun with {rest:.1f} min"), 0.0
        else:
            chosen[name] = False, f"{worth}, {rest:.1f} min are left"
    return chosen


def command(name: str, keep: Path, warm: bool = False) -> list[str]:
    """What runs a part in a process: after some errors on a GPU a process cannot use it again."""
    return [sys.executable, __file__, "--part", name, "--keep", str(keep), *["--warm"] * warm]


def absent(part: Part) -> list[str]:
    """What a part needs and does not find here: packages, and corpora."""
    packages = [name for name in part.needs if importlib.util.find_spec(name) is None]
    return packages + [f"the corpus {name}" for name in part.corpora if state(name) == "not here"]


def environment(keep: Path) -> dict[str, str]:
    """What a part finds: what is compiled is kept too, so that a later visit need not wait for it.

    A folder that the user names is left as it is.
    """
    compiled = keep / "compiled"
    folders = {
        "TORCHINDUCTOR_CACHE_DIR": str(compiled / "inductor"),
        "TRITON_CACHE_DIR": str(compiled / "triton"),
    }
    return folders | os.environ


def run_all(found: dict[str, Part], names: list[str], states: States, minutes: float) -> list[str]:
    """Run the parts until the time is over; return which failed, and how."""
    started = time.monotonic()
    failed = []

    def ended(name: str, code: int | None, took: float) -> None:
        states.add(name, took, code == 0)
        said = {0: "done", None: "stopped, the time is over"}.get(code, "failed")
        print(f"{name}: {said} after {took:.1f} min", flush=True)
        if code:
            failed.append(f"{name}: its process ended with {code}")

    visit = Visit(
        [name for name in names if found[name].alone],
        [name for name in names if not found[name].alone],
        [name for name in names if found[name].warm],
        lambda name, warm: command(name, states.folder, warm),
        environment(states.folder),
        ended,
    )
    visit.run(started + 60 * minutes)
    for name in visit.waiting:
        print(f"{name}: left for another time", flush=True)
    print(f"in all: {(time.monotonic() - started) / 60:.1f} min", flush=True)
    return failed


def main() -> None:
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="show the parts and stop")
    parser.add_argument("--only", nargs="+", choices=list(known), help="only these")
    parser.add_argument("--again", action="store_true", help="finished parts too")
    parser.add_argument("--minutes", type=float, default=math.inf, help="available GPU time")
    parser.add_argument("--keep", type=Path, default=course.root() / "_build" / "gpu",
                        help="where parts keep finished and partial work (_build/gpu)")  # fmt: skip
    parser.add_argument("--part", choices=list(known), help=argparse.SUPPRESS)
    parser.add_argument("--warm", action="store_true", help=argparse.SUPPRESS)
    choice = parser.parse_args()
    states = States(choice.keep.resolve())
    if choice.part:
        own = states.folder / choice.part
        own.mkdir(parents=True, exist_ok=True)
        part = known[choice.part]
        (part.warm if choice.warm and part.warm else part.run)(own)
        return
    wanted = {name: known[name] for name in choice.only or known}
    finished = {name for name in wanted if states.of(name)[1]}
    if choice.list:
        for name, part in wanted.items():
            state = "done" if name in finished else f"about {states.left(name, part):.3g} min"
            print(f"{name:24s} {state:14s} {part.about} ({part.source})")
        left = sum(states.left(*one) for one in wanted.items() if one[0] not in finished)
        print(f"{'in all':24s} about {left:.3g} min")
        return
    need_cuda()
    if choice.again:
        for name in finished:
            states.forget(name)
        finished = set()
    todo = {name: part for name, part in wanted.items() if name not in finished}
    for name in sorted(finished):
        print(f"{name}: done before", flush=True)
    for name in list(todo):
        if missing := absent(todo[name]):
            print(f"{name}: left out, it needs {', '.join(missing)}", flush=True)
            del todo[name]
    chosen = choose(todo, states, choice.minutes)
    for name, (yes, why) in chosen.items():
        print(f"{name}: {'chosen' if yes else 'left out'}, {why}", flush=True)
    failed = run_all(todo, [name for name, (yes, _) in chosen.items() if yes], states,
                     choice.minutes)  # fmt: skip
    if failed:
        raise SystemExit("Not done:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
