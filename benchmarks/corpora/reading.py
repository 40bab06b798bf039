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

#: The folders of a package to read, if not all: plain Python, the same files in the wheels for
#: every platform.
FOLDERS = {"torch": ("distributions", "nn", "optim", "utils/data")}

#: The name under which a package is installed, if it is imported under another.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}

#: Folders that are not read: tests, and code that is generated or comes from another project.
_SKIPPED = {"tests", "testing", "_build_utils", "_internal", "externals", "_vendor", "array_api"}

#: Files that are written when a package is built, and may differ between platforms.
_BUILT = {"__config__.py", "_version.py", "version.py", "_distributor_init.py"}


class Docstring(NamedTuple):
    """One docstring.

    Attributes
    ----------
    package:
        The package's import name.
    file:
        The file with the docstring: its path from the package's folder, with forward slashes.
    text:
        The docstring, without its indentation.
    """

    package: str
    file: str
    text: str


def version(package: str) -> str:
    """The installed version of a package, without its build: 2.13.0 for 2.13.0+cpu.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed; the message says what to do.
    """
    return installed(package).version.partition("+")[0]


def installed(package: str) -> importlib.metadata.Distribution:
    """The distribution that provides a package's import name.

    Raises
    ------
    ModuleNotFoundError
        As in :func:`version`.
    """
    name = DISTRIBUTIONS.get(package, package)
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise ModuleNotFoundError(
            f"The corpora are made from {name}, which is not installed. "
            "Install what maintainers need: pip install -r requirements.txt"
        ) from None


def docstrings(package: str) -> Iterator[Docstring]:
    """The docstrings of a package, file by file in alphabetical order.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed.
    """
    version(package)
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is no package")
    top = Path(found.submodule_search_locations[0])
    for folder in FOLDERS.get(package, ("",)):
        for path in sorted((top / folder).rglob("*.py"), key=lambda path: path.as_posix()):
            file = path.relative_to(top)
            if _SKIPPED & set(file.parts[:-1]) or file.name in _BUILT:
                continue
            for text in _parsed(path.read_bytes()):
                yield Docstring(package, file.as_posix(), text)


def _parsed(source: bytes) -> list[str]:
    """The docstrings of a file.

    The garbage collector is off during this: it would traverse each growing tree, which has no
    cycles, and halve the speed.
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


def _of(
    tree: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[str]:
    """The docstrings of a module, its classes and functions, and theirs, from the top down."""
    text = ast.get_docstring(tree, clean=False)
    if text:
        yield _dedented(text)
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _of(node)


def _dedented(text: str) -> str:
    """A docstring without its indentation; Python's own way differs between versions."""
    first, *others = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in others if line.strip()), default=0)
    return "\n".join([first.lstrip(" "), *(line[margin:] for line in others)]).strip("\n")
