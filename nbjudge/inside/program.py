"""What an installed course tells the judge of itself.

A course registers a module of plain values by an entry point of the group ``nbjudge.course``: the
module's names in capitals are the fields of :class:`Program`, and each that it leaves out is as
:class:`Program` has it. The judge never imports a course to learn this inside a sandbox: a fork
server is told (:func:`take`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

#: Entry points of this group register a course.
GROUP = "nbjudge.course"


@dataclass(frozen=True)
class Program:
    """A course as the judge sees it.

    Attributes
    ----------
    command:
        What a person types; in capitals it begins the names of the environment's variables.
    distribution:
        The name under which it is installed; its version has a say in the grades.
    packages:
        Packages that answers may import: a learner's process can read them.
    tests_own:
        Packages that test cells import and answers may not: a learner's process finds them empty,
        and cannot read them.
    values:
        Libraries of which answers may be values besides Python's own: ``"numpy"``, ``"torch"``.
    warm:
        Modules that most tests use, loaded once, before examiners are forked.
    forbidden:
        What an exercise can ask to be written by hand: a name, and the fields of
        :class:`nbjudge.inside.kinds.Forbidden`.
    """

    command: str = "nbjudge"
    distribution: str = "nbjudge"
    packages: tuple[str, ...] = ()
    tests_own: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    warm: tuple[str, ...] = ()
    forbidden: dict[str, dict[str, Any]] = field(default_factory=dict)

    def variable(self, name: str) -> str:
        """The name of one of its environment variables, such as ``NBJUDGE_ROOT``."""
        return f"{self.command.upper()}_{name}"

    @property
    def finder(self) -> str:
        """How the name of the module begins that finds it where it is installed to be edited."""
        return f"__editable___{re.sub(r'[-_.]+', '_', self.distribution).lower()}_"

    def folders(self, *, tests_own: bool = False) -> list[Path]:
        """Where its packages are, or those of the tests alone, without loading them.

        Those that are not installed have no folder.
        """
        names = self.tests_own if tests_own else self.packages
        return [folder for name in names if (folder := folder_of(name))]


def folder_of(package: str) -> Path | None:
    """The folder of a package, which is not loaded; ``None`` if there is no such package."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


_taken: Program | None = None


def program() -> Program:
    """The course that is installed here, or the judge alone.

    Raises
    ------
    RuntimeError
        If several courses are installed in one environment.
    """
    return _taken or _installed()


def values_on() -> frozenset[str]:
    """The libraries whose values answers may be. A tensor's numbers travel as an array's.

    Raises
    ------
    ValueError
        If the course switches on another one.
    """
    on = frozenset(program().values)
    if unknown := sorted(on - {"numpy", "torch"}):
        raise ValueError(f"values must be among numpy, torch; got {', '.join(unknown)}")
    return on | ({"numpy"} if "torch" in on else frozenset())


def take(said: Mapping[str, Any]) -> None:
    """Believe another process what the course is, in this process and for good."""
    global _taken
    _taken = _made(said)


@cache
def _installed() -> Program:
    found = {point.value: point for point in entry_points(group=GROUP)}
    if len(found) > 1:
        raise RuntimeError(f"several courses are installed here: {', '.join(sorted(found))}")
    return _registered(*found.values()) if found else Program()


def _registered(point: EntryPoint) -> Program:
    module = point.load()
    said = {one.name: getattr(module, one.name.upper(), None) for one in fields(Program)}
    said["distribution"] = said["distribution"] or (point.dist and point.dist.name)
    return _made({name: _plain(value) for name, value in said.items() if value is not None})


def _plain(value: Any) -> Any:
    """A value as JSON would hold it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _made(said: Mapping[str, Any]) -> Program:
    """JSON knows no tuples."""
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in said.items()}
    return Program(**values)
