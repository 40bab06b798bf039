"""Refuses what an exercise forbids to import or to read, before a learner's code runs.

An import finder explains why a module cannot be imported. An audit hook, which no code can remove,
refuses to open the files of the course's own modules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec

from nbjudge.inside.forbidden import Forbidden
from nbjudge.inside.program import folder_of, program
from nbjudge.inside.testing.refusals import refuse


class Absent:
    """An import finder that comes first and refuses the modules of these entries."""

    def __init__(self, entries: Sequence[Forbidden]):
        self.entries = entries

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Explain why a module cannot be imported; leave all others to other finders."""
        for entry in self.entries:
            for module in entry.modules:
                if f"{name}.".startswith(f"{module}."):
                    refuse(name, entry)
        return None


def remove(*what: str) -> None:
    """Refuse the modules that may not be used here for the rest of this process's life.

    Parameters
    ----------
    what:
        Names of what is to be written by hand: the course's ``forbidden``.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    entries = program().to_be_written(what)
    if not entries:
        return
    sys.meta_path.insert(0, Absent(entries))
    hidden = tuple(
        f"{folder.joinpath(*below)}/"
        for entry in entries
        for top, *below in (module.split(".") for module in entry.modules)
        if top in program().packages and (folder := folder_of(top))
    )

    def hook(event: str, args: tuple) -> None:
        if event == "open" and isinstance(args[0], str) and is_in(args[0], hidden):
            raise PermissionError(f"this exercise forbids what is in {args[0]}")

    sys.addaudithook(hook)


def is_in(path: str, hidden: tuple[str, ...]) -> bool:
    """Whether a path is the source or the compiled form of one of these modules."""
    folder, name = os.path.split(os.path.abspath(path))
    return f"{folder.removesuffix('/__pycache__')}/{name.partition('.')[0]}/".startswith(hidden)
