"""What cells bind, use and forbid, read from their source without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from nbformat import NotebookNode

from nbjudge.inside.program import program
from nbjudge.intake import cells

#: The same test cells occur in every submission of a class, so they are parsed once.
_once = lru_cache(maxsize=1024)


def bound(source: str) -> set[str]:
    """The names that a cell binds for the cells after it."""
    names: set[str] = set()
    for statement in _parsed(source):
        names |= _bound_by(statement)
    return names


@_once
def used(source: str) -> frozenset[str]:
    """The names that a cell uses when run, except those in functions that it only defines."""
    names: set[str] = set()
    todo: list[ast.AST] = list(_parsed(source))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            outside = [*getattr(node, "decorator_list", []), *node.args.defaults]
            todo += outside + [default for default in node.args.kw_defaults if default]
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        todo += ast.iter_child_nodes(node)
    return frozenset(names)


def forbidden_by_all(notebook: NotebookNode) -> tuple[str, ...]:
    """What is forbidden by every test cell that forbids anything."""
    per_test = [forbidden(cell.source) for cell in notebook.cells if cells.is_test(cell)]
    every = [names for names in per_test if names is not None]
    return tuple(sorted(frozenset.intersection(*every))) if every else ()


@_once
def forbidden(source: str) -> frozenset[str] | None:
    """The names given in a test cell's ``by_hand``; ``None`` if it does not call it."""
    calls = [
        node
        for statement in _parsed(source)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "by_hand"
    ]
    if not calls:
        return None
    named = [argument for call in calls for argument in call.args]
    texts = {argument.value for argument in named if isinstance(argument, ast.Constant)}
    return frozenset(name for name in program().forbidden if name in texts)


def keeping(notebook: NotebookNode) -> frozenset[str]:
    """The exercises with tests of their own that inputs are left unchanged.

    Such tests use ``untouched`` or ``inputs_after``, or a locked cell's function that uses one of
    these.
    """
    by = {"untouched", "inputs_after"}
    for cell in notebook.cells:
        if cell.cell_type == "code" and cells.is_locked(cell) and not cells.is_test(cell):
            by |= {name for name, inside in _functions(cell.source) if inside & by}
    tests = [cell for cell in notebook.cells if cells.is_test(cell)]
    return frozenset(
        cells.exercise_of(cells.grade_id(cell)) for cell in tests if names_in(cell.source) & by
    )


@_once
def _functions(source: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """The functions that a cell defines, each with the names that it mentions."""
    defined = [node for node in _parsed(source) if isinstance(node, ast.FunctionDef)]
    return tuple((node.name, _names_in([node])) for node in defined)


@_once
def names_in(source: str) -> frozenset[str]:
    """All names that a cell mentions anywhere, including in its functions."""
    return _names_in(_parsed(source))


def _names_in(statements: list[ast.stmt]) -> frozenset[str]:
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def names_of(notebook: NotebookNode) -> dict[str, tuple[str, ...]]:
    """The names bound by each answer cell of an instructor's notebook, by grade id."""
    return {
        cells.grade_id(cell): tuple(sorted(bound(cells.learners_own(cell.source))))
        for cell in notebook.cells
        if cell.cell_type == "code" and cells.is_answer(cell)
    }


def solution_of(notebook: NotebookNode) -> dict[str, str]:
    """The source of each answer cell of an instructor's notebook, by grade id."""
    return {
        cells.grade_id(cell): cells.learners_own(cell.source)
        for cell in notebook.cells
        if cell.cell_type == "code" and cells.is_answer(cell)
    }


def imports_of(release: NotebookNode, source: NotebookNode) -> dict[str, str]:
    """The names that the released notebook only imports, each with the code that imports it.

    A test that uses such a name means the library, whatever a learner binds to it. Names that the
    release or the instructor's notebook binds in another way as well are left out.
    """
    imports: dict[str, list[str]] = {}
    other: set[str] = set()
    for cell in release.cells:
        if cell.cell_type == "code" and not cells.is_test(cell):
            for statement in _parsed(cell.source):
                imported = _imports(statement)
                other |= _bound_by(statement) - imported.keys()
                for name, code in imported.items():
                    imports.setdefault(name, []).append(code)
    for cell in source.cells:
        if cell.cell_type == "code" and cells.is_answer(cell):
            for statement in _parsed(cells.learners_own(cell.source)):
                other |= _bound_by(statement) - _imports(statement).keys()
    every = {name: dict.fromkeys(codes) for name, codes in imports.items() if name not in other}
    # `import scipy.stats` and `import scipy.optimize` bind the same name to the same thing.
    return {
        name: "\n".join(codes)
        for name, codes in every.items()
        if len(codes) == 1 or all(code.startswith(f"import {name}") for code in codes)
    }


def libraries(imports: Mapping[str, str]) -> tuple[str, ...]:
    """The libraries that :func:`imports_of` names, sorted."""
    roots = {
        code.split()[1].partition(".")[0]
        for statements in imports.values()
        for code in statements.splitlines()
    }
    return tuple(sorted(roots))


def _imports(statement: ast.stmt) -> dict[str, str]:
    """The names that an import statement binds, each with the code for it alone."""
    if isinstance(statement, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: f"import {alias.name}"
            + (f" as {alias.asname}" if alias.asname else "")
            for alias in statement.names
        }
    if not isinstance(statement, ast.ImportFrom) or statement.level or not statement.module:
        return {}
    return {
        alias.asname or alias.name: f"from {statement.module} import {alias.name}"
        + (f" as {alias.asname}" if alias.asname else "")
        for alias in statement.names
        if alias.name != "*"
    }


def _parsed(source: str) -> list[ast.stmt]:
    plain = ["pass" if line.startswith(("%", "!")) else line for line in source.splitlines()]
    try:
        return ast.parse("\n".join(plain)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _bound_by(node: ast.AST) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return set()
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Store) else set()
    return {name for child in ast.iter_child_nodes(node) for name in _bound_by(child)}
