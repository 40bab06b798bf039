"""Every chapter's own training code on a device that is not the CPU, and no device is pinned.

The device is simulated (``second_device.py``). Of a notebook those cells are run that train, and
what they need, with every loop that trains cut to two turns.
"""

import ast
import functools
import itertools
import re
import runpy
import symtable
import sys

import nbformat
import pytest
import torch
from safetensors.torch import load_file
from second_device import DEVICE, SecondDevice, numbers

from coursebook import course as course_tree
from coursebook import drawings
from tfcourse import devices, training
from tfcourse.training import distributed

ROOT = course_tree.root()
LESSONS, EVIDENCE = course_tree.chapter_paths(ROOT), course_tree.evidence_paths(ROOT)
#: A cell that trains, or that moves something (`--device` in a text is a command).
TRAINS = re.compile(r"\bfit\([^;]{0,300}?loss=|train_short_test_long\(|(?<!-)\bdevice\b")
#: A cell that is left out: processes of its own compute on the CPU, and a checkpoint cannot hold
#: what stands for a tensor, nor a kernel read it.
ELSEWHERE = re.compile(r"\bin_two\(|checkpoint=|\bflash_kernel\[")
TURNS = 2


def cells(path):
    """The source of each code cell."""
    notebook = nbformat.read(path, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def names(source):
    """The names that a cell binds, whose attributes it sets, and that it reads (functions too)."""
    changed = {
        node.value.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
    top = symtable.symtable(source, "cell", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    read, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                read.add(symbol.get_name())
    return bound, changed, read


def needed(sources):
    """The cells that train, and those that bind what they read."""
    about = [names(source) for source in sources]
    chosen, wanted = set(), set()
    for i in reversed(range(len(sources))):
        bound, changed, read = about[i]
        if TRAINS.search(sources[i]) or (bound | changed) & wanted:
            chosen.add(i)
            wanted = wanted - bound | read
    chosen = {i for i in chosen if not ELSEWHERE.search(sources[i])}
    while True:  # what a function reads may be bound after it
        bound = set().union(*(about[i][0] for i in chosen))
        missing = set().union(*(about[i][2] for i in chosen)) - bound
        more = {i for i, (binds, *_) in enumerate(about) if binds & missing} - chosen
        if not more:
            return [sources[i] for i in sorted(chosen)]
        chosen |= more


class Short(ast.NodeTransformer):
    """Cuts every loop that trains."""

    def visit_For(self, node):
        self.generic_visit(node)
        if {"backward", "step"} <= {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}:
            few = ast.Name("few_turns", ast.Load())
            node.iter = ast.Call(few, [node.iter], [])
        return ast.fix_missing_locations(node)


def few_turns(iterable):
    return itertools.islice(iterable, TURNS)


@pytest.fixture
def there(monkeypatch):
    """What a chapter finds where the second device is the fastest."""
    fit = training.fit

    @functools.wraps(fit)
    def few_steps(*args, steps, **choices):
        return fit(*args, steps=min(steps, TURNS), **choices)

    monkeypatch.setattr(training, "fit", few_steps)
    for module in (devices, distributed):
        monkeypatch.setattr(module, "default_device", lambda: DEVICE)
    monkeypatch.setattr(torch, "inference_mode", torch.no_grad)  # see the models' test
    monkeypatch.setattr(drawings, "draw", lambda *parts, **about: None)
    optimizer, named = sys.modules["torch.optim.optimizer"], "_get_fused_kernels_supported_devices"
    fused = [*getattr(optimizer, named)(), DEVICE.type]
    monkeypatch.setattr(optimizer, named, lambda: fused)
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    yield
    torch.set_default_dtype(dtype)
    torch.set_num_threads(threads)


def with_training(paths):
    return [path for path in paths if any(map(TRAINS.search, cells(path)))]


@pytest.mark.thorough("simulated-GPU training run")
@pytest.mark.parametrize("path", with_training([*LESSONS, *EVIDENCE]), ids=course_tree.short_name)
def test_a_notebooks_own_training_runs_there(path, there, monkeypatch):
    monkeypatch.chdir(path.parent)
    found = {"few_turns": few_turns}
    with SecondDevice():
        for source in needed(cells(path)):
            exec(compile(Short().visit(ast.parse(source)), "<a cell>", "exec"), found)


#: Where a device is pinned all the same, and why.
PINS = re.compile(
    r"""device\s*=\s*["'](cpu|cuda)|torch\.device\(["'](cpu|cuda)|autocast\(["']cpu"""
)


def code(path):
    """The code of a notebook, module or preset."""
    return "\n".join(cells(path)) if path.suffix == ".ipynb" else path.read_text("utf-8")


def test_no_notebook_run_or_preset_pins_a_device():
    tfcourse, solutions = ROOT / "tfcourse", ROOT / "solutions"
    paths = [*LESSONS, *EVIDENCE, *solutions.glob("*/*.ipynb"), *solutions.glob("*/*.py"),
             *(tfcourse / "runs").glob("*.py"), *(tfcourse / "presets").iterdir()]  # fmt: skip
    pinned = {p.name for p in paths if p.is_file() and PINS.search(code(p))}
    assert not pinned


MADE = runpy.run_path(str(ROOT / "examples" / "translators" / "make.py"))


@pytest.mark.parametrize("answer", ["good", "weak", "peeks"])
def test_an_example_translator_trains_there(answer, there):
    found = MADE["names_for"](MADE["answers"]()[answer])
    pieces, words = (torch.randint(4, 20, (2, n)) for n in (5, 4))
    with SecondDevice():
        model = found["load"](load_file(MADE["CHECKPOINTS"][answer])).train().to(DEVICE)
        logits = model(pieces.to(DEVICE), words.to(DEVICE))
        logits.square().mean().backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert numbers(logits.detach()).isfinite().all()
    assert gradients and all(g.device == DEVICE for g in gradients)
