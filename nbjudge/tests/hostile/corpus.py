"""The hostile submissions, read from their files, and handed in."""

from __future__ import annotations

import ast
import json
import runpy
from dataclasses import dataclass
from pathlib import Path

import target_set
from nbformat import NotebookNode

FOLDER = Path(__file__).with_name("corpus")

#: What attacks are sorted by.
KINDS = (
    "notebook file",
    "IPython",
    "torch, numpy, builtins, imports",
    "objects that lie",
    "peeking",
    "time",
    "the wire",
    "exhaustion",
    "persistence",
)


@dataclass(frozen=True)
class Attack:
    """One hostile submission.

    Attributes
    ----------
    name:
        Its file's, and the student's who hands it in.
    kind, tries:
        One of :data:`KINDS`, and what it tries in a sentence.
    exercise:
        Whose answer it is; empty where it changes the notebook's file or folder instead.
    honest:
        The points that an honest failure would get.
    seen:
        A regular expression that the flags or the messages of its report must match; empty where
        nothing of it can be seen.
    once:
        ``"got through"`` if it once gained marks, or stopped a class or a marker.
    code:
        The answer; or a module with a function ``hand_in(notebook, folder)``, to which the release
        and the submission's folder are given, and which gives back the notebook or ``None``.
    """

    name: str
    kind: str
    tries: str
    exercise: str
    honest: float
    seen: str
    once: str
    code: str

    def hand_in(self, submitted: Path, release: NotebookNode) -> None:
        """Put it where a student hands in."""
        folder = submitted / self.name / target_set.NAME
        folder.mkdir(parents=True)
        if self.exercise:
            notebook = target_set.answered(release, {self.exercise: self.code})
        else:
            made = runpy.run_path(str(FOLDER / f"{self.name}.py"))
            notebook = made["hand_in"](target_set.answered(release, {}), folder)
        if notebook is not None:
            path = folder / f"{target_set.NAME}.ipynb"
            path.write_text(json.dumps(notebook), encoding="utf-8")


def read(path: Path) -> Attack:
    """One attack from its file: its docstring says what it is, a field to a line.

    Raises
    ------
    ValueError
        Where a field is missing or its value is not known.
    """
    code = path.read_text(encoding="utf-8")
    tries, _, rest = (ast.get_docstring(ast.parse(code)) or "").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in rest.splitlines())
    if fields.get("kind") not in KINDS or "honest" not in fields:
        raise ValueError(f"{path.name}: kind and honest must be given, got {fields}")
    return Attack(
        name=path.stem,
        kind=fields["kind"],
        tries=" ".join(tries.split()),
        exercise=fields.get("exercise", ""),
        honest=float(fields["honest"]),
        seen=fields.get("seen", ""),
        once=fields.get("once", ""),
        code=code,
    )


def attacks() -> list[Attack]:
    """All of them, by name."""
    return [read(path) for path in sorted(FOLDER.glob("*.py"))]


def got_through() -> list[Attack]:
    """Those that once did: a class of 100 holds them all."""
    return [attack for attack in attacks() if attack.once == "got through"]
