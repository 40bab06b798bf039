"""What a course tells the judge about itself, in the file ``course.toml`` in its folder.

Its keys are the fields of :class:`Program`; those that it leaves out keep their defaults. A course
that is a package too can keep them there: ``settings`` names a module, whose names in capitals are
the fields. A course without the file, such as nbgrader's own, has the defaults. The judge never
looks for a course inside a sandbox: the fork server is given the values (:func:`take`).
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from msgspec import to_builtins

from nbjudge.inside.forbidden import Forbidden
from nbjudge.inside.messages import Message
from nbjudge.inside.tables import Misspelt, Spelling, Unknown, keys_of, read_table

#: A course's own file in its folder.
FILE = "course.toml"

#: Environment variable for the folder of the course, for a process that starts elsewhere.
VARIABLE = "NBJUDGE_COURSE"

_STRING = Spelling("{key} must be a string, in quotes; got {value}")
_STRINGS = Spelling('{key} must be a list of strings, such as ["numpy"]; got {value}')
_TABLE = Spelling("{key} must be a table; got {value}")


class Program(Message):
    """A course as the judge sees it.

    Attributes
    ----------
    command:
        The command that users type; in capitals, the prefix of environment variables.
    distribution:
        The name under which it is installed; grades also depend on its version.
    packages:
        Packages that answers may import; a learner's process can read them.
    tests_own:
        Packages that test cells may import and answers may not. In a learner's process they are
        empty and cannot be read.
    values:
        Libraries to load before the first submission, as most answers use them: ``"numpy"``,
        ``"pandas"``, ``"scipy"``, ``"torch"``. Answers may return values of PyTorch only if it is
        among these, and values of the others in any case.
    warm:
        Modules that most tests use, loaded once before examiners are forked.
    wrong_results:
        A folder in one of these packages, such as ``"package/wrong_results"``, in which a release
        stores what known wrong answers return in the visible tests. Without it a release stores
        that beside the learners' notebook.
    forbidden:
        What an exercise can require to be written by hand: names, each with the fields of a
        :class:`nbjudge.inside.forbidden.Forbidden`.
    """

    command: Annotated[str, _STRING] = "nbjudge"
    distribution: Annotated[str, _STRING] = "nbjudge"
    packages: Annotated[tuple[str, ...], _STRINGS] = ()
    tests_own: Annotated[tuple[str, ...], _STRINGS] = ()
    values: Annotated[tuple[str, ...], _STRINGS] = ()
    warm: Annotated[tuple[str, ...], _STRINGS] = ()
    wrong_results: Annotated[str, _STRING] = ""
    forbidden: Annotated[dict[str, Forbidden], _TABLE] = {}

    def variable(self, name: str) -> str:
        """The name of one of its environment variables, such as ``NBJUDGE_ROOT``."""
        return f"{self.command.upper()}_{name}"

    def folders(self, *, tests_own: bool = False) -> list[Path]:
        """The folders of its packages, or of the tests' own, found without loading them.

        Packages that are not installed are left out.
        """
        names = self.tests_own if tests_own else self.packages
        return [folder for name in names if (folder := folder_of(name))]

    def to_be_written(self, names: Iterable[str]) -> list[Forbidden]:
        """What these exercises require to be written by hand, by its names in ``forbidden``.

        Raises
        ------
        ValueError
            If a name is unknown.
        """
        names = list(names)
        if unknown := sorted(set(names) - set(self.forbidden)):
            known = ", ".join(sorted(self.forbidden)) or "nothing: the course here forbids nothing"
            raise ValueError(f"what must be among {known}; got {', '.join(unknown)}")
        return [self.forbidden[name] for name in names]


def folder_of(package: str) -> Path | None:
    """The folder of a package, found without loading it; ``None`` if it does not exist."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


_taken: Program | None = None

#: The command that runs this process, if it is not the course's.
_command = ""


def program() -> Program:
    """The settings of the course that this process works on, or the judge's defaults.

    Raises
    ------
    ValueError
        If its ``course.toml`` cannot be read; the message says why.
    """
    return _taken or _from_file()


def folder_of_settings() -> Path | None:
    """The folder of this process's course, if it has a ``course.toml``.

    That is the folder that ``NBJUDGE_COURSE`` names, or the current one, or one above it, up to the
    first that is a course of any kind.
    """
    here = Path(os.environ.get(VARIABLE) or Path.cwd())
    for folder in (here, *here.parents):
        if (folder / FILE).is_file():
            return folder
        if (folder / "nbgrader_config.py").is_file() and not (folder / "ledger.db").is_file():
            return None
    return None


def go_to(folder: Path | None) -> None:
    """Work on the course in this folder from now on, in this process and those that it starts."""
    if folder is not None:
        os.environ[VARIABLE] = str(folder.expanduser().resolve())
    _from_file.cache_clear()


def handed_on() -> dict[str, str]:
    """The environment variables by which a process works on the same course in another folder."""
    folder = folder_of_settings()
    return {VARIABLE: str(folder)} if folder else {}


def command_name() -> str:
    """The command that messages tell people to type: the one that they have used."""
    return _command or program().command


def run_as(name: str) -> None:
    """Say that this process is run by this command, such as ``nbjudge``."""
    global _command
    _command = name


def values_on() -> frozenset[str]:
    """The libraries that the course has enabled. All others need NumPy, for sending.

    Raises
    ------
    ValueError
        If the course names any other library.
    """
    on = frozenset(program().values)
    known = {"numpy", "pandas", "scipy", "torch"}
    if unknown := sorted(on - known):
        raise ValueError(
            f"values must be among {', '.join(sorted(known))}; got {', '.join(unknown)}"
        )
    return on | ({"numpy"} if on else frozenset())


def take(sent: Program) -> None:
    """Use the course settings that another process sent, for the rest of this process's life."""
    global _taken
    _taken = sent


@cache
def _from_file() -> Program:
    folder = folder_of_settings()
    return _read(folder / FILE) if folder else Program()


def _read(path: Path) -> Program:
    try:
        settings = tomllib.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    module = settings.pop("settings", "")
    try:
        return read_table({**_of_module(module), **settings} if module else settings, Program)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{path} names the module {module!r}, but {error.name!r} is not installed in this "
            "environment: install the course's packages."
        ) from None
    except Unknown as error:
        raise ValueError(
            f"{path} has {'.'.join(error.keys)!r}, which is none of settings, "
            f"{', '.join(sorted(error.known))}"
        ) from None
    except Misspelt as error:
        raise ValueError(f"{path}: {error}") from None


def _of_module(name: str) -> dict[str, Any]:
    """The names in capitals; sets, which TOML does not have, as sorted lists."""
    module = import_module(name)
    settings = {key: getattr(module, key.upper(), None) for key in keys_of(Program)}
    given = {key: value for key, value in settings.items() if value is not None}
    return to_builtins(given, order="deterministic")
