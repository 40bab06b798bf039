"""The scripts with a size for a GPU leave no tensor on the CPU: their quick runs on another device.

The device is simulated (``second_device.py``). A missing GPU is the subject of
``test_record_scripts.py``.
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest
import torch
from second_device import DEVICE, SecondDevice

from coursebook import measuring
from coursebook.course import evidence_paths, record_paths, script_paths

pytestmark = pytest.mark.thorough("test of a training that is stopped or shared")


def numbers(found):
    """All numbers of nested results, in order."""
    if isinstance(found, dict | list | tuple):
        values = found.values() if isinstance(found, dict) else found
        return [number for value in values for number in numbers(value)]
    return [found] if isinstance(found, int | float) else []


OTHERS = pytest.mark.thorough("simulated-GPU measurement")


@pytest.mark.parametrize(
    "script",
    [
        "rotary_longer",
        pytest.param("block_training", marks=OTHERS),
        pytest.param("vision_arrows", marks=OTHERS),
    ],
)
def test_a_quick_run_on_another_device_finds_the_same(script, course, monkeypatch):
    monkeypatch.syspath_prepend(str(script_paths(course)[script].parent))
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    AdamW = torch.optim.AdamW  # the fused one is for real devices
    monkeypatch.setattr(torch.optim, "AdamW", lambda *a, fused=None, **k: AdamW(*a, **k))
    module = importlib.import_module(script)

    def measured(device):
        return numbers(module.measured(True, lambda _, work: work(), module.SIZES["quick"], device))

    here = measured("cpu")
    with SecondDevice():
        there = measured(DEVICE)
    assert there == pytest.approx(here, abs=1e-3) and len(here) > 20


@pytest.mark.parametrize(
    ("flags", "record", "given"),
    [
        ([], "speed", ("small", "cpu")),
        (["--device", "cuda"], "speed-gpu", ("large", "cuda")),
        (["--quick", "--device", "cuda"], None, ("tiny", "cuda")),
    ],
)
def test_each_device_has_its_size_and_its_record(flags, record, given, monkeypatch):
    written, seen = [], []
    monkeypatch.setattr(measuring, "need_cuda", lambda: None)
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    monkeypatch.setattr(torch, "set_float32_matmul_precision", seen.append)
    monkeypatch.setattr(sys, "argv", ["speed.py", "--keep", "parts", *flags])

    def write(name, results, **how):
        written.append((name, how["device"], results.get("float32 products"), *sys.argv[1:]))
        return Path(name)

    monkeypatch.setattr(measuring.records, "write", write)
    measuring.keep_record(
        "speed", "", lambda quick, once, size, device: {"given": seen.extend((size, device))},
        seed=0, resumed=True, sizes={"cpu": "small", "cuda": "large", "quick": "tiny"},
    )  # fmt: skip
    on_gpu = given[1] == "cuda"
    assert seen == (["high"] if on_gpu else []) + [*given]
    wanted = (record, given[1], "TF32" if on_gpu else None, *flags)
    assert written == ([wanted] if record else [])


def test_every_such_script_is_a_part_of_make_gpu(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    parts = importlib.import_module("on_gpu").parts()
    names = {
        name
        for path in script_paths(course).values()
        for name in re.findall(r'keep_record\(\s*"([\w-]+)"[^$]*\bsizes=SIZES', path.read_text())
    }
    assert len(names) >= 5 and {f"{name}-gpu" for name in names} <= set(parts)


DRAWS = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like",
         "multinomial", "bernoulli", "normal"}  # fmt: skip


def drawn_on_a_device(source):
    """The lines that draw random numbers on a device that they name or take from a tensor."""
    return [
        call.lineno
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        and (getattr(call.func, "attr", None) or getattr(call.func, "id", "")) in DRAWS
        and ("_like" in ast.unparse(call.func) or any(k.arg == "device" for k in call.keywords))
    ]


def test_no_test_for_a_gpu_draws_on_the_device(course, monkeypatch):
    """A GPU draws other numbers than a CPU, so that nothing could be compared with one."""
    assert drawn_on_a_device("torch.randn(3, device=d)\nx = torch.rand_like(y)") == [1, 2]
    assert drawn_on_a_device("torch.randn(3).to(d)\ntorch.zeros(3, device=d)") == []
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    tests = [course / name for name in importlib.import_module("on_gpu").TESTS]
    files = [file for path in tests for file in (path.glob("*.py") if path.is_dir() else [path])]
    found = {file.name: drawn_on_a_device(file.read_text("utf-8")) for file in files}
    assert len(found) > 5 and not any(found.values()), found


def test_every_test_of_a_gpu_is_among_those_that_make_gpu_runs(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    named = tuple(str(course / name) for name in importlib.import_module("on_gpu").TESTS)
    moves = re.compile(r"""\.cuda\(\)|device\("cuda"\)|device="cuda"|DEVICE = "cuda\"""")
    found = [
        path
        for path in (course / "tests" / "tfcourse").rglob("*.py")
        if moves.search(path.read_text("utf-8"))
    ]
    assert len(found) >= 3 and all(str(path).startswith(named) for path in found), found


def test_a_page_shows_every_record_that_make_gpu_adds_to_a_laptops(course, monkeypatch):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    parts = importlib.import_module("on_gpu").parts()
    laptop = set(record_paths(course))
    both = {name.removesuffix("-gpu") for name in parts if name.endswith("-gpu")} & laptop
    pages = [*evidence_paths(course), course / "book" / "speed.md"]
    shown = {
        name
        for path in pages
        for name in re.findall(r'(?:by_device\(\\"|{beside-peers} )([\w-]+)', path.read_text())
    }
    assert len(both) >= 8 and both <= shown
