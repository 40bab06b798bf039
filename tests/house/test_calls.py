"""Every call of ours in notebooks, scripts and solutions fits the signature that is called.

Only names imported from our packages are followed, and only where nothing else in their scope has
the same name; so a call that is checked is one of ours. Nothing of the files is executed.
"""

import ast
import importlib
import inspect
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

PACKAGES = ("tfcourse", "coursebook", "nbjudge", "nbjudge_tfcourse")
#: What a name stands for that we do not follow.
UNKNOWN = object()
SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


class Missing(Exception):
    """Something that is imported or called and does not exist."""


class Piece(NamedTuple):
    """A file, or a cell of a notebook, as syntax."""

    where: str
    tree: ast.Module


def pieces(path, root):
    """The code of a file, cell by cell, and where each is found; none if it names none of ours."""
    name, text = path.relative_to(root).as_posix(), path.read_text("utf-8")
    if not any(package in text for package in PACKAGES):
        return []
    if path.suffix == ".py":
        return [Piece(name, ast.parse(text))]
    cells = json.loads(text)["cells"]
    return [
        Piece(f"{name}, cell {number}", ast.parse(without_magics("".join(cell["source"]))))
        for number, cell in enumerate(cells, start=1)
        if cell["cell_type"] == "code" and not "".join(cell["source"]).startswith("%%")
    ]


def without_magics(source):
    lines = source.split("\n")
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in lines)


def ours(name):
    return (name or "").partition(".")[0] in PACKAGES


@cache
def module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if ours(error.name):
            raise Missing(f"there is no module {error.name}") from None
        return UNKNOWN  # an extra that is not installed
    except ImportError:
        return UNKNOWN


def attribute(owner, name):
    """What a module or a class of ours has under a name."""
    if not (inspect.ismodule(owner) or inspect.isclass(owner)) or not ours(owner.__name__ if
            inspect.ismodule(owner) else owner.__module__):  # fmt: skip
        return UNKNOWN
    if hasattr(owner, name):
        return getattr(owner, name)
    if inspect.ismodule(owner) and hasattr(owner, "__path__"):
        try:
            return module(f"{owner.__name__}.{name}")
        except Missing:
            pass
    raise Missing(f"{owner.__name__} has no {name}")


def imported(node):
    """The names that an import binds, each as a function that finds what it stands for."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            known = ours(alias.name)

            def find(whole=alias.name, first=not alias.asname):
                found = module(whole)
                return module(whole.partition(".")[0]) if first else found

        else:
            known = ours(node.module) and not node.level and alias.name != "*"
            name = alias.asname or alias.name

            def find(of=node.module, name=alias.name):
                return attribute(found, name) if (found := module(of)) is not UNKNOWN else UNKNOWN

        yield name, find if known else None


def inside(nodes):
    """Every node of one scope, the heads of the scopes within it included."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        within = isinstance(node, SCOPES)
        waiting += outside_parts(node) if within else ast.iter_child_nodes(node)


def outside_parts(node):
    """What of a function, a class or a comprehension is evaluated in the scope around it."""
    if isinstance(node, ast.Lambda):
        return [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    return []


def inner_parts(node):
    """The rest: what is evaluated in its own scope."""
    if isinstance(node, ast.Lambda):
        return [node.args, node.body]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.args, *node.body]
    return node.body if isinstance(node, ast.ClassDef) else list(ast.iter_child_nodes(node))


def bound(nodes, faults, where):
    """The names that a scope binds, and what of ours they stand for."""
    names = {}

    def bind(name, thing):
        names[name] = thing if names.get(name, thing) is thing else UNKNOWN

    for node in inside(nodes):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, find in imported(node):
                try:
                    bind(name, find() if find else UNKNOWN)
                except Missing as missing:
                    faults.append(f"{where}, line {node.lineno}: {missing}")
                    bind(name, UNKNOWN)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bind(node.name, UNKNOWN)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bind(node.id, UNKNOWN)
        elif isinstance(node, ast.arg):
            bind(node.arg, UNKNOWN)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bind(node.name, UNKNOWN)
    return names


def follow(node, scopes):
    """What of ours an expression such as ``data.load`` stands for."""
    if isinstance(node, ast.Attribute):
        owner = follow(node.value, scopes)
        return UNKNOWN if owner is UNKNOWN else attribute(owner, node.attr)
    if isinstance(node, ast.Name):
        return next((names[node.id] for names in reversed(scopes) if node.id in names), UNKNOWN)
    return UNKNOWN


@cache
def signature_of(thing):
    try:
        return inspect.signature(thing)
    except (TypeError, ValueError):
        return None


def misfit(call, thing, later=False):
    """How a call does not fit what it calls, or ``None``; ``later`` if arguments may follow."""
    signature = signature_of(thing)
    if signature is None:
        return None
    starred = [isinstance(x, ast.Starred) for x in call.args]
    positional = starred.index(True) if any(starred) else len(starred)
    named = {keyword.arg: None for keyword in call.keywords if keyword.arg is not None}
    partly = later or any(starred) or len(named) < len(call.keywords)
    try:
        (signature.bind_partial if partly else signature.bind)(*[None] * positional, **named)
    except TypeError as error:
        return f"{thing.__module__}.{thing.__qualname__}: {error}"
    return None


def check(nodes, scopes, where, faults):
    """Check every call in a scope and in those within it; give how many were followed."""
    followed = 0
    for node in inside(nodes):
        if isinstance(node, SCOPES):
            parts = inner_parts(node)
            own = [*scopes, bound(parts, faults, where)]
            followed += check(parts, own, where, faults)
        if not isinstance(node, ast.Call):
            continue
        call, later = node, False
        if isinstance(node.func, ast.Name) and node.func.id == "partial" and node.args:
            call = ast.Call(node.args[0], node.args[1:], node.keywords)
            later = True
        try:
            thing = follow(call.func, scopes)
            told = None if thing is UNKNOWN else misfit(call, thing, later)
        except Missing as missing:
            thing, told = None, str(missing)
        followed += thing is not UNKNOWN
        if told:
            faults.append(f"{where}, line {node.lineno}: {told}")
    return followed


def examine(path, root):
    """The faults of a file, and how many of its calls were followed."""
    faults, found = [], pieces(path, root)
    names = {}
    for piece in found:
        for name, thing in bound(piece.tree.body, faults, piece.where).items():
            names[name] = thing if names.get(name, thing) is thing else UNKNOWN
    followed = sum(check(p.tree.body, [names], p.where, faults) for p in found)
    return faults, followed


def files(course):
    """Lessons, evidence, problem sets, their solutions, and our scripts."""
    for folder in ("notebooks", "solutions", "benchmarks", "examples"):
        for path in sorted((course / folder).rglob("*")):
            if path.suffix in (".py", ".ipynb") and ".ipynb_checkpoints" not in path.parts:
                yield path


def test_every_call_of_ours_fits(course):
    faults, followed = [], 0
    for path in files(course):
        told, calls = examine(path, course)
        faults, followed = faults + told, followed + calls
    assert not faults, "\n".join(["these calls do not fit what they call:", *faults])
    assert followed > 2000, "the test follows fewer calls than it did: does it still see them?"


def notebook(tmp_path, *cells):
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    path = tmp_path / "lesson.ipynb"
    path.write_text(nbformat.writes(made))
    return examine(path, tmp_path)[0]


IMPORTS = "from tfcourse import data\nfrom tfcourse.generation import beam_search"
WHERE = "lesson.ipynb, cell 2, line "


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("x = 1\nbeam_search(m, 0, max_new_tokens=3, beams=2)",
         f"{WHERE}2: tfcourse.generation.beams.beam_search: got an unexpected keyword argument "
         "'beams'"),
        ("%time 1\ndef f(m):\n    return [beam_search(m) for _ in m]",
         f"{WHERE}3: tfcourse.generation.beams.beam_search: missing a required argument: 'prompt'"),
        ("beam_search(*m, beams=2, **how)",
         f"{WHERE}1: tfcourse.generation.beams.beam_search: got an unexpected keyword argument "
         "'beams'"),
        ("partial(beam_search, beams=2)",
         f"{WHERE}1: tfcourse.generation.beams.beam_search: got an unexpected keyword argument "
         "'beams'"),
        ("x = [data.lode('prose')]", f"{WHERE}1: tfcourse.data has no lode"),
        ("if x:\n    from tfcourse.attention import Attend",
         f"{WHERE}2: tfcourse.attention has no Attend"),
        ("import tfcourse.attend", f"{WHERE}1: there is no module tfcourse.attend"),
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_found(cell, told, tmp_path):
    assert notebook(tmp_path, IMPORTS, cell) == [told]


@pytest.mark.parametrize(
    "cell",
    [
        "beam_search(m, 0, max_new_tokens=3, num_beams=2)",
        "beam_search(m, **how)",
        "partial(beam_search, num_beams=2)",
        "def f(beam_search):\n    return beam_search(beams=2)",
        "def beam_search(beams):\n    return beams",
        "[data(1, 2, x=3) for data in m]",
    ],
)
def test_what_fits_or_is_not_ours_is_left_alone(cell, tmp_path):
    assert notebook(tmp_path, IMPORTS, cell) == []


def test_a_script_is_told_by_its_line(tmp_path):
    path = Path(tmp_path / "measure.py")
    path.write_text("import tfcourse.generation as g\n\ng.greedy(1, 2, tokens=3)\n")
    (told,), followed = examine(path, tmp_path)
    assert told.startswith("measure.py, line 3: tfcourse.generation.one_by_one.greedy: ")
    assert followed == 1
