"""What has a say in a grade, as one number each: the judge, a piece of work."""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

from nbformat import NotebookNode

from nbjudge import cells
from nbjudge.inside.program import program

#: Packages whose versions a report names, and which have a say in the grades, as has the course's.
NAMED_VERSIONS = ("nbgrader", "ipykernel", "torch", "numpy")

#: Parts of the grader that show grades, carry them about or start it, but have no say in them.
NO_SAY = (
    "answers.py",
    "check.py",
    "cluster.py",
    "commands.py",
    "enclosures.py",
    "engine.py",
    "exports.py",
    "failure.py",
    "feedback.py",
    "folder.py",
    "handling.py",
    "helper.py",
    "interrupts.py",
    "leaderboard.py",
    "ledger.py",
    "marking.py",
    "overview.py",
    "pages.py",
    "parcels.py",
    "policy.py",
    "release.py",
    "results.py",
    "returning.py",
    "roster.py",
    "show.py",
    "stamps.py",
    "variants.py",
    "why.py",
)

#: A longer source is compared word for word: the memory to parse a long dotted name grows with the
#: square of its length, and no honest answer is half as long.
MOST_CHARACTERS = 20_000


@cache
def versions() -> dict[str, str]:
    """The versions of Python and of the packages that have a say in the grades."""
    found = {"python": platform.python_version()}
    for name in (program().distribution, *NAMED_VERSIONS):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@cache
def judge_digest() -> str:
    """The packages' own code, but for what has no say in a grade, and the versions, as one SHA-256.

    It is the same on all machines that would judge alike.
    """
    here = Path(__file__).parent
    total = hashlib.sha256(repr(sorted(versions().items())).encode())
    files = {
        f"{package.name}/{path.relative_to(package).as_posix()}": path
        for package in (here, *program().folders(), *program().folders(tests_own=True))
        for path in package.rglob("*.py")
    }
    for name, path in sorted(files.items()):
        if path.parent == here and path.name in NO_SAY:
            continue
        total.update(f"{name}\0".encode() + path.read_bytes())
    return total.hexdigest()


def fingerprints(notebook: NotebookNode, release: NotebookNode) -> dict[str, str]:
    """A number for each answer, by grade id; answers that say the same have the same one.

    For code, names that it gives itself, comments, docstrings and layout make no difference. What
    was left as it came has none.
    """
    stubs = {cells.grade_id(cell): cell.source for cell in release.cells if cells.is_answer(cell)}
    found = {}
    for cell in notebook.cells:
        name = cells.grade_id(cell)
        if not cells.is_answer(cell) or cell.source.strip() == stubs.get(name, "").strip():
            continue
        text = normalised(cell.source) if cell.cell_type == "code" else _words(cell.source)
        found[name] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def _words(text: str) -> str:
    return " ".join(text.lower().split())


def normalised(source: str) -> str:
    """Python without what a copier changes first: layout, comments, docstrings, own names."""
    if len(source) > MOST_CHARACTERS:
        return _words(source)
    try:
        tree = ast.parse(source)
        _Plain(_own_names(tree)).visit(tree)
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _words(source)


def _own_names(tree: ast.AST) -> dict[str, str]:
    """The names of arguments and variables, in the order in which they come, renamed."""
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
