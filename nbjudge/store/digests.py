"""Digests of what a grade depends on: the judge and a learner's answers."""

from __future__ import annotations

import ast
import fnmatch
import hashlib
import importlib.metadata
import platform
from functools import cache

from nbformat import NotebookNode

from nbjudge.files import PACKAGE, own_files
from nbjudge.inside.program import program
from nbjudge.intake import cells

#: Packages whose versions affect grades and appear in a report, besides the course's own.
NAMED_VERSIONS = ("nbjudge", "nbgrader", "ipykernel", "torch", "numpy", "pandas", "scipy")

#: Modules of the grader that show or transport grades or start it, but do not affect them; and
#: those in the same folders that do.
NO_SAY = (
    *("__main__.py", "answers.py", "commands.py", "failure.py", "terminal.py", "variants.py"),
    *("*/command.py", "desk/assemble.py", "desk/check.py", "desk/checking.py"),
    *("desk/own_folder.py", "run/grading.py"),
    *("collect/*", "gradescope/*", "likeness/*", "marking/*", "report/*"),
    *("intake/converting.py", "intake/enclosures.py", "intake/handed_in.py", "intake/policy.py"),
    *("intake/release.py", "intake/roster.py", "intake/sources.py", "intake/stamps.py"),
    "intake/steps.py",
    *("run/cluster.py", "run/engine.py", "run/helper.py", "run/interrupts.py"),
    *("run/judging.py", "run/parcels.py", "run/pool.py"),
    *("store/archive.py", "store/folder.py", "store/forget.py", "store/ledger.py"),
    *("store/results.py", "store/statistics.py"),
)
SAY = ("likeness/prints.py", "report/outputs.py")

#: Longer sources are compared verbatim: parsing a long dotted name takes memory quadratic in its
#: length, and no honest answer is half as long.
MOST_CHARACTERS = 20_000


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that affect grades."""
    installed = {"python": platform.python_version()}
    for name in (program().distribution, *NAMED_VERSIONS):
        try:
            installed[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return installed


@cache
def judge_digest() -> str:
    """SHA-256 of the versions and the packages' own code, except what does not affect grades.

    Machines with the same digest judge alike.
    """
    total = hashlib.sha256(repr(sorted(versions().items())).encode())
    files = {
        f"{package.name}/{path.relative_to(package).as_posix()}": path
        for package in (*program().folders(), *program().folders(tests_own=True))
        for path in package.rglob("*.py")
    }
    for path in own_files("*.py"):
        if _affects(module := path.relative_to(PACKAGE).as_posix()):
            files[f"{PACKAGE.name}/{module}"] = path
    for name, path in sorted(files.items()):
        total.update(f"{name}\0".encode() + path.read_bytes())
    return total.hexdigest()


def _affects(module: str) -> bool:
    return module in SAY or not any(fnmatch.fnmatch(module, pattern) for pattern in NO_SAY)


def fingerprints(notebook: NotebookNode, release: NotebookNode) -> dict[str, str]:
    """A fingerprint of each answer, by grade id; equivalent answers have the same one.

    In code, local names, comments, docstrings and layout make no difference. An unchanged stub has
    no fingerprint.
    """
    stubs = {cells.grade_id(cell): cell.source for cell in release.cells if cells.is_answer(cell)}
    prints = {}
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if not cells.is_answer(cell) or cell.source.strip() == stubs.get(name, "").strip():
            continue
        text = normalised(cell.source) if cell.cell_type == "code" else _words(cell.source)
        prints[name] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return prints


def _words(text: str) -> str:
    return " ".join(text.lower().split())


def normalised(source: str) -> str:
    """Code without what a copier changes first: layout, comments, docstrings, local names."""
    if len(source) > MOST_CHARACTERS:
        return _words(source)
    try:
        tree = ast.parse(source)
        _Plain(_own_names(tree)).visit(tree)
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _words(source)


def _own_names(tree: ast.AST) -> dict[str, str]:
    """New names for arguments and variables, numbered in order of appearance."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name is not None:
            names.setdefault(name, f"v{len(names)}")
    return names


class _Plain(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]):
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg, node.annotation = self.names.get(node.arg, node.arg), None
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        self.generic_visit(node)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node
