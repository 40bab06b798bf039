"""Find the notebook that is meant; this loads nothing, so that a wrong name is told at once."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

from nbjudge.course import WORK
from nbjudge.inside.program import command_name


def find(given: Path) -> Path:
    """The notebook that a learner named: a file, or the only one in a folder.

    Raises
    ------
    ValueError
        If there is no such file, or the folder has no notebook, or several; the message says what
        to type.
    """
    given = Path(given)
    if not given.exists():
        raise ValueError(f"There is no {given}.{_near(given)}")
    if not given.is_dir():
        return given
    notebooks = sorted(path for path in given.glob("*.ipynb") if path.is_file())
    if len(notebooks) == 1:
        return notebooks[0]
    below = sorted(p for p in given.glob("*/*.ipynb") if not p.parent.name.startswith("."))
    if not notebooks and len(below) == 1:
        return below[0]
    listed = notebooks or below
    if not listed:
        raise ValueError(f"{given} is a folder without a notebook: name the .ipynb file.")
    lines = "".join(f"\n  {command_name()} check {_typed(path)}" for path in listed[:15])
    more = f"\n  and {len(listed) - 15} more" if len(listed) > 15 else ""
    raise ValueError(f"{given} is a folder with {len(listed)} notebooks. Type one of:{lines}{more}")


def lesson_of(problem_set: str, folder: Path) -> Path | None:
    """The lesson with a problem set's number: a notebook in this folder, or in one of its name."""
    number = problem_set.removeprefix("ps")[:2]
    notebooks = [*folder.glob(f"{number}-*.ipynb"), *folder.glob(f"{number}-*/{number}-*.ipynb")]
    return min(notebooks, default=None)


def _near(given: Path) -> str:
    """A question that names what is most like a path that does not exist; empty if nothing is.

    It is looked for beside the first part that does not exist, and among the problem sets there;
    `ps5` is enough for ``ps05-self-attention``.
    """
    there = next(parent for parent in given.parents if parent.is_dir())
    missing, *below = given.relative_to(there).parts
    sets = [*there.glob("assignments/*/"), *there.glob(f"{WORK}/assignments/*/")]
    beside = [path for path in there.iterdir() if not path.name.startswith(".")]
    named = {path.name: path for path in [*beside, *sets]}
    number = _number(missing)
    like = [name for name in named if _number(name) == number]
    if not (like := like or difflib.get_close_matches(missing, named, 1)):
        return ""
    path = named[like[0]]
    whole = path.joinpath(*below)
    return f" Did you mean {_typed(whole if whole.exists() else path)}?"


def _number(name: str) -> str:
    """What a problem set's name begins with, such as ``ps5`` for ``ps05-self-attention``."""
    return re.sub(r"0+(?=\d)", "", Path(name).stem.partition("-")[0].lower())


def _typed(path: Path) -> str:
    """A path as typed in a terminal."""
    return f'"{path}"' if " " in str(path) else str(path)
