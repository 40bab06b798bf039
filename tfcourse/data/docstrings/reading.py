"""The docstrings of installed packages, read from their source files: nothing is imported."""

from __future__ import annotations

import ast
import gc
import importlib.metadata
import importlib.util
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

#: The packages whose docstrings are prose worth reading, and the folders of each that are read
#: (``""`` for all): plain Python, the same files in the wheels for every platform.
PACKAGES: dict[str, tuple[str, ...]] = {
    "dask": ("",),
    "matplotlib": ("",),
    "networkx": ("",),
    "numpy": ("",),
    "scipy": ("",),
    "sklearn": ("",),
    "sqlalchemy": ("",),
    "sympy": ("",),
    "torch": ("distributions", "nn", "optim", "utils/data"),
}

#: What a package is called where it is installed from.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}

#: Folders that are not read: tests, code that a package carries from elsewhere or generates.
_SKIPPED = {"tests", "testing", "_build_utils", "_internal", "externals", "_vendor", "array_api"}

#: Files that are written when a package is built, and may say another thing on another platform.
_BUILT = {"__config__.py", "_version.py", "version.py", "_distributor_init.py"}


class Docstring(NamedTuple):
    """One docstring.

    Attributes
    ----------
    package:
        The package's import name.
    file:
        The file that it stands in, from the package's folder on, with forward slashes.
    text:
        The docstring, without its indentation.
    """

    package: str
    file: str
    text: str


def version(package: str) -> str:
    """The version that is installed of a package.

    Raises
    ------
    ModuleNotFoundError
        Where none is; the message says what to do.
    """
    name = DISTRIBUTIONS.get(package, package)
    try:
        # Without what says for which device it was built: "2.13.0+cpu".
        return importlib.metadata.version(name).partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        raise ModuleNotFoundError(
            f"this corpus is made of {name}'s docstrings, and {name} is not installed: "
            "pip install -r requirements.txt"
        ) from None


def docstrings(package: str) -> Iterator[Docstring]:
    """The docstrings of one of :data:`PACKAGES`, file by file in alphabetical order.

    Raises
    ------
    ModuleNotFoundError
        Where the package is not installed.
    """
    version(package)
    found = importlib.util.find_spec(package)
    top = Path(found.submodule_search_locations[0])
    for folder in PACKAGES[package]:
        for path in sorted((top / folder).rglob("*.py"), key=lambda path: path.as_posix()):
            file = path.relative_to(top)
            if _SKIPPED & set(file.parts[:-1]) or file.name in _BUILT:
                continue
            for text in _parsed(path.read_bytes()):
                yield Docstring(package, file.as_posix(), text)


def _parsed(source: bytes) -> list[str]:
    """The docstrings of a file.

    Without the collector of cycles, which would walk through each tree as it grows and halve the
    speed: a tree has none.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in a plain string is a warning there
            return list(_of(ast.parse(source)))
    finally:
        if was:
            gc.enable()


def _of(tree: ast.AST) -> Iterator[str]:
    """The docstrings of a module, of its classes and functions and of theirs, top down."""
    text = ast.get_docstring(tree, clean=False)
    if text:
        yield _dedented(text)
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _of(node)


def _dedented(text: str) -> str:
    """A docstring without its indentation; written out, as Python's own differs by version."""
    first, *others = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(" "), *(line[margin:] for line in others)]).strip("\n")
