"""A page's two sizes, and the parts of `make gpu`."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output

from coursebook.course import script_paths
from tfcourse import presets
from tfcourse.data.real.registry import FILES
from tfcourse.runs.size import size, sized


def test_a_page_has_the_laptops_size_unless_told(monkeypatch):
    monkeypatch.delenv("TFCOURSE_SIZE", raising=False)
    assert size() == "laptop" and sized(laptop=3, full=9) == 3
    monkeypatch.setenv("TFCOURSE_SIZE", "full")
    assert size() == "full" and sized(laptop=3, full=9) == 9


def test_another_size_is_refused(monkeypatch):
    monkeypatch.setenv("TFCOURSE_SIZE", "Full")
    with pytest.raises(ValueError, match=r"TFCOURSE_SIZE must be one of \['laptop', 'full'\]"):
        sized(laptop=1, full=2)


def on_gpu(course, *flags):
    return subprocess.run(
        [sys.executable, "benchmarks/on_gpu.py", *flags], cwd=course, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip


def test_make_gpu_lists_its_parts_with_their_minutes(course):
    listed = on_gpu(course, "--list")
    assert listed.returncode == 0, listed.stderr
    *lines, in_all = listed.stdout.splitlines()
    assert lines[0].startswith("cuda-tests"), "what is worth most for a minute comes first"
    assert {line.split()[0] for line in lines} >= {"tinyshakespeare-gpu", "multi30k-de-en"}
    assert all("min" in line or "done" in line for line in lines)
    assert in_all.startswith("in all") and in_all.endswith(" min")


GOOD = "open(sys.argv[1] + '/' + sys.argv[2], 'a').write('x')"
#: Writes when it began and ended, to see what ran beside what.
TIMED = (
    "note = lambda: open(sys.argv[1] + '/' + sys.argv[2], 'a').write(f'{time.monotonic()}\\n');"
    "note(); time.sleep(0.4); note()"
)


@pytest.fixture
def gpu(course, monkeypatch, tmp_path):
    """``make gpu`` with parts that the test gives it: name → (a Part's arguments, its program)."""
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    def run(given, *flags):
        found = {
            name: on_gpu.Part(name, minutes, value, lambda folder: None, **more)
            for name, (minutes, value, more, _) in given.items()
        }
        monkeypatch.setattr(on_gpu, "parts", lambda: found)
        monkeypatch.setattr(on_gpu, "need_cuda", lambda: None)
        monkeypatch.setattr(
            on_gpu, "command",
            lambda name, keep, warm: [
                sys.executable, "-c", f"import sys, time; {given[name][3]}", str(tmp_path),
                name + "-warm" * warm,
            ],
        )  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["on_gpu.py", "--keep", str(tmp_path / "kept"), *flags])
        on_gpu.main()

    return run


def test_make_gpu_goes_on_after_what_fails_and_repeats_nothing(gpu, tmp_path, capsys):
    given = {"memory": (1, 2, {}, "sys.exit(3)"), "good": (1, 1, {}, GOOD)}
    for before in ("good: chosen, 1.0 per minute, 1.0 min (estimate)", "good: done before"):
        with pytest.raises(SystemExit, match=r"Not done:\nmemory: its process ended with 3$"):
            gpu(given, "--minutes", "15")
        assert before in capsys.readouterr().out
    assert (tmp_path / "good").read_text() == "x"
    row = tmp_path / "kept" / "good" / "row.json"
    row.parent.mkdir()
    row.write_text("{}")
    gpu(given, "--only", "good", "--again")
    assert (tmp_path / "good").read_text() == "xx"
    assert not row.exists(), "a kept row would be read, not measured again"


def test_make_gpu_chooses_by_value_per_minute(gpu, tmp_path, capsys):
    given = {
        "best": (2, 8, {"source": "measured"}, GOOD),
        "long": (9, 9, {"kept": False}, GOOD),
        "begun": (9, 3, {}, GOOD),
        "second": (4, 4, {"kept": False}, GOOD),
        "last": (4, 1, {"kept": False}, GOOD),
    }
    gpu(given, "--minutes", "9")
    said = capsys.readouterr().out.splitlines()
    assert said[:5] == [
        "best: chosen, 4.0 per minute, 2.0 min (measured)",
        "long: left out, takes 9.0 min at a stretch",
        "second: chosen, 1.0 per minute, 4.0 min (estimate)",
        "begun: chosen, 0.3 per minute, 9.0 min (estimate); begun with 3.0 min",
        "last: left out, 0.2 per minute, 4.0 min (estimate), 0.0 min are left",
    ]
    assert {path.name for path in tmp_path.iterdir()} == {"best", "second", "begun", "kept"}


def test_make_gpu_stops_when_the_time_is_over_and_goes_on_later(gpu, tmp_path, capsys):
    sleeps = (
        "import subprocess; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    )
    given = {"long": (8, 8, {}, sleeps), "never": (8, 1, {"alone": True, "kept": False}, GOOD)}
    gpu(given, "--minutes", "0.02", "--only", "long")
    assert "long: left out" in capsys.readouterr().out, "a minute is the least"
    import on_gpu

    states = on_gpu.States(tmp_path / "kept")
    began = time.monotonic()
    assert on_gpu.run_all(on_gpu.parts(), ["long"], states, 0.02) == []
    assert time.monotonic() - began < 20, "what the part had started was stopped with it"
    assert "long: stopped, the time is over" in capsys.readouterr().out
    so_far, finished = states.of("long")
    assert 0.01 <= so_far < 1 and not finished
    states.add("long", 5, False)
    assert 2 < states.left("long", on_gpu.parts()["long"]) < 3
    assert on_gpu.run_all(on_gpu.parts(), ["never"], states, 0) == []
    assert "never: left for another time" in capsys.readouterr().out


def test_times_are_measured_alone_and_trainings_run_side_by_side(gpu, tmp_path):
    one, two = {"alone": True}, {}
    gpu({name: (1, 1, more, TIMED) for name, more in
         {"a": two, "speed": one, "b": two, "other-speed": one}.items()})  # fmt: skip
    times = {name: [float(at) for at in (tmp_path / name).read_text().split()]
             for name in ("speed", "other-speed", "a", "b")}  # fmt: skip
    assert times["speed"][1] < times["other-speed"][0]
    assert times["other-speed"][1] < min(times["a"][0], times["b"][0])
    assert max(times["a"][0], times["b"][0]) < min(times["a"][1], times["b"][1])


#: Notes the time again and again, so that it shows when it stood still.
TICKS = (
    "file = open(sys.argv[1] + '/' + sys.argv[2], 'a', buffering=1);"
    "[(print(time.monotonic(), file=file), time.sleep(0.02)) for _ in range(100)]"
)


def test_what_is_timed_is_compiled_beside_trainings_that_then_stand_still(gpu, tmp_path, capsys):
    warm = {"alone": True, "warm": lambda folder: None}
    gpu({"speed": (1, 9, warm, TIMED), "training": (1, 1, {}, TICKS)})
    began, ended = (float(at) for at in (tmp_path / "speed").read_text().split())
    compiled = [float(at) for at in (tmp_path / "speed-warm").read_text().split()]
    ticks = [float(at) for at in (tmp_path / "training").read_text().split()]
    assert compiled[1] < began
    assert any(compiled[0] < at < compiled[1] for at in ticks), "it trains beside the compilation"
    assert not any(began < at < ended for at in ticks), "it stands still beside the timing"
    assert len(ticks) == 100 and ticks[-1] > ended
    said = capsys.readouterr().out
    assert "speed: compiled in 0.0 min" in said and "training: done" in said


def test_what_stands_still_when_the_time_is_over_is_stopped_too(gpu, tmp_path, capsys):
    sleeps = "time.sleep(0.2 if sys.argv[2].endswith('-warm') else 60)"
    warm = {"alone": True, "warm": lambda folder: None}
    given = {
        "speed": (1, 9, warm, sleeps),
        "training": (1, 1, {}, sleeps),
        "good": (1, 1, {}, GOOD),
    }
    gpu(given, "--only", "good")
    import on_gpu

    began, states = time.monotonic(), on_gpu.States(tmp_path / "kept")
    assert on_gpu.run_all(on_gpu.parts(), ["speed", "training"], states, 0.05) == []
    assert time.monotonic() - began < 15
    said = capsys.readouterr().out
    assert "speed: stopped, the time is over" in said
    assert "training: stopped, the time is over after 0.0 min" in said
    assert states.of("training")[0] < states.of("speed")[0], "standing still is not counted"


def test_only_chapters_take_long_and_keep_nothing(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    found = on_gpu.parts()
    long = {
        name for name, part in found.items() if not part.kept and part.minutes > on_gpu.AT_A_STRETCH
    }
    assert all(name[:2].isdigit() for name in long) and len(found) > 15


@pytest.mark.thorough("use of another environment")
def test_make_gpu_runs_from_an_unpacked_archive(course, tmp_path):
    """With the machine's own Python: the packages are not installed, and nothing is downloaded."""
    unpacked = tmp_path / "course"
    for name in ("benchmarks", "coursebook", "tfcourse"):
        shutil.copytree(course / name, unpacked / name)
    for name in ("Makefile", "_toc.yml", "nbgrader_config.py", "notebooks"):
        (unpacked / name).symlink_to(course / name)
    own = tmp_path / "python"
    own.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # no editable installation
    own.chmod(0o755)
    environment = dict(os.environ) | {
        "PYTHONPATH": sysconfig.get_path("purelib"), "PIP_NO_INDEX": "1",
        "MAKEFLAGS": "--no-print-directory",
    }  # fmt: skip
    done = subprocess.run(
        ["make", "gpu", f"PYTHON={own}", "GPU=--list"], cwd=unpacked, env=environment, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("cuda-tests") and not (unpacked / ".venv").exists()


def test_make_gpu_leaves_out_what_lacks_a_package_or_a_corpus(gpu, tmp_path, capsys, monkeypatch):
    needs = {"tests": {"needs": ("hypothesis",)}, "chapter": {"needs": ("nbconvert",)},
             "text": {"corpora": ("imdb",)}, "speed": {}}  # fmt: skip
    for package in ("hypothesis", "nbconvert", "pooch"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delenv("TFCOURSE_CACHE", raising=False)
    monkeypatch.setenv("TFCOURSE_DATA", str(tmp_path))
    gpu({name: (5, 1, more, GOOD) for name, more in needs.items()}, "--minutes", "5")
    said = capsys.readouterr().out
    assert "tests: left out, it needs hypothesis\n" in said
    assert "chapter: left out, it needs nbconvert\n" in said
    assert "text: left out, it needs the corpus imdb\n" in said
    assert "speed: done" in said, "the minutes of what is left out are not taken"
    assert {path.name for path in tmp_path.iterdir()} == {"speed", "kept"}


#: What every part may import: the packages that CONTRIBUTING.md names, and what PyTorch brings.
COMMON = {"torch", "jaxtyping", "safetensors", "regex", "yaml", "numpy", "triton"}


def test_a_part_says_what_it_needs(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    found, scripts = on_gpu.parts(), script_paths(course)
    own = {
        *COMMON,
        *scripts,
        "coursebook",
        "tfcourse",
        "_beside",
        "_peers",
    } | sys.stdlib_module_names
    told = 0
    for name, part in found.items():
        if name in presets.names():
            preset = presets.load(name)
            assert part.corpora == (preset.data.name,)
            assert ("sacrebleu" in part.needs) == ("bleu" in preset.evaluation.measures)
        elif path := scripts.get(name.removesuffix("-gpu").replace("-", "_")):
            source = path.read_text("utf-8")
            modules = re.findall(r"^\s*(?:from|import) (\w+)", source, re.M)
            assert {*part.corpora} == {c for c in FILES if f'"{c}"' in source}, name
            assert {*modules} - own <= {*part.needs}, name
            told += len(part.needs)
    assert told >= 3 and sum(bool(part.corpora) for part in found.values()) == 9
    assert found["translation-speed-gpu"].needs == ("num2words",)  # its corpus imports it
    assert {*on_gpu.TEST_PACKAGES} == {*found["cuda-tests"].needs}
    assert all(p.needs == ("nbconvert",) for name, p in found.items() if name[:2].isdigit())


def test_make_gpu_keeps_what_was_compiled(gpu, tmp_path, monkeypatch):
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    monkeypatch.setenv("TRITON_CACHE_DIR", "named")
    shows = (
        "import os; open(sys.argv[1] + '/' + sys.argv[2], 'w').write("
        "os.environ['TORCHINDUCTOR_CACHE_DIR'] + ' ' + os.environ['TRITON_CACHE_DIR'])"
    )
    gpu({"speed": (1, 1, {}, shows)})
    kept = tmp_path / "kept" / "compiled" / "inductor"
    assert (tmp_path / "speed").read_text() == f"{kept} named"


@pytest.mark.thorough("use of another environment")
def test_make_gpu_needs_neither_jupyter_nor_nbgrader(course, tmp_path):
    blocked = [
        "nbformat",
        "nbconvert",
        "nbclient",
        "nbgrader",
        "jupyter_client",
        "IPython",
        "ipykernel",
    ]
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules.update(dict.fromkeys({blocked}))\n"
    )
    names = ["generation_speed", "package_speed", "attention_speed", "parallel_text", "on_gpu"]
    folders = {str(script_paths(course)[name].parent) for name in names}
    path = os.pathsep.join([str(tmp_path), *folders, str(course)])
    done = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(names)}; print(len(on_gpu.parts()))"],
        capture_output=True, text=True, timeout=300, env=dict(os.environ) | {"PYTHONPATH": path},
        cwd=course,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 15


def test_what_a_chapter_prints_at_full_size_becomes_a_record(course, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    def notebook(*said):
        output = [[new_output("stream", text=text)] for text in said]
        cells = [new_code_cell(f"print({n})", id=str(n), outputs=o) for n, o in enumerate(output)]
        return new_notebook(cells=cells)

    def ran(command, **environment):
        assert environment == {"TFCOURSE_SIZE": "full"}
        nbformat.write(notebook("the same", "3.5"), tmp_path / "evidence.ipynb")

    written = []
    monkeypatch.setattr(on_gpu, "_call", ran)
    monkeypatch.setattr(on_gpu.records, "write", lambda *what, **how: written.append((what, how)))
    path = tmp_path / "notebooks" / "01-words" / "evidence.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook("the same", "2.5"), path)
    on_gpu.chapter(path)(tmp_path)
    (((name, results), how),) = written
    assert (name, how["device"]) == ("full-size-01-words-evidence", "cuda")
    assert {key: cell["printed"] for key, cell in results["cells"].items()} == {"1": "3.5"}


def test_make_gpu_refuses_without_cuda_in_one_line(course):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    refused = on_gpu(course)
    assert refused.returncode and not refused.stdout
    assert len(refused.stderr.splitlines()) == 1 and "PyTorch finds none here" in refused.stderr
