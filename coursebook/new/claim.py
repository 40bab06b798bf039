"""An empty claim: its entry, an experiment that cannot decide it yet, the lesson's sentence."""

from __future__ import annotations

import re
from pathlib import Path

from coursebook.claims import read_claims
from coursebook.course import Lesson
from coursebook.new.cells import (
    cells,
    install_cell,
    notebook_of,
    number,
    put,
    read,
    run,
    template,
    written,
)
from coursebook.new.changes import MARK, Changes, Refused, after, in_words, lesson_named, named_well
from coursebook.sphinx import tree

#: What an entry says until somebody has written it.
WORDS = {
    "claim": f"What the lectures claim is {MARK}.",
    "measured": f"What is measured is {MARK}.",
    "refuted": f"an outcome that is {MARK}.",
}

#: The longest name, in characters: a lesson's own, and what follows it.
LONGEST = 40

#: The section before which a lesson gets what is new in it.
END = "## What to take away"


def make(changes: Changes, lesson_name: str, name: str) -> list[str]:
    """Add a claim to a lesson; returns what is left to do.

    Raises
    ------
    Refused
        If there is no such lesson, or the claim has no good name or one that is taken.
    """
    lesson = lesson_named(changes.root, lesson_name)
    check(changes.root, name)
    notebook = read(lesson.notebook)
    put(notebook, cells("statement", id=name, **WORDS), END)
    changes.write(lesson.notebook, written(notebook))
    add(changes, lesson, name)
    return _steps(changes, lesson, name)


def check(root: Path, name: str) -> None:
    """Refuse a claim's name that is not in the form of all, or taken.

    Raises
    ------
    Refused
        As :func:`make`.
    """
    named_well("claim", name, LONGEST)
    known = read_claims(root)
    if "-" not in name:
        begun = sorted({claim.partition("-")[0] for claim in known})
        raise Refused(
            f"the claim's name is {name!r}, but it must begin with its subject and a hyphen, "
            f"such as {begun[0]}-{name}; the subjects so far are {', '.join(begun)}."
        )
    if name in known:
        raise Refused(f"{known[name]['chapter']} has a claim {name!r}: choose another name.")


def add(changes: Changes, lesson: Lesson, name: str) -> None:
    """Write a claim's entry and its experiment; makes the files that are not there yet."""
    listed = lesson.claims.read_text("utf-8") if lesson.claims.is_file() else template("claims")
    changes.write(lesson.claims, listed + template("claim", id=name, **WORDS))
    words = {"id": name, "heading": in_words(name.partition("-")[2]), **WORDS}
    experiment = run(cells("experiment", **words), changes.root)
    if lesson.evidence.is_file():
        notebook = read(lesson.evidence)
    else:
        opening = cells("evidence", lesson=lesson.name, heading=tree.title(lesson.notebook))
        metadata = experiment.metadata | {"tfcourse": {"budget_seconds": 10}}
        notebook = notebook_of([*opening, install_cell(lesson.notebook)], metadata)
        _into_contents(changes, lesson)
    put(notebook, experiment.cells, "## Slips in the sources")
    number(notebook)
    changes.write(lesson.evidence, written(notebook))


def _into_contents(changes: Changes, lesson: Lesson) -> None:
    """List a new evidence notebook in ``_toc.yml``, in the order of the lessons."""
    contents = changes.root / "_toc.yml"
    text = contents.read_text("utf-8")
    listed = re.findall(r"- file: notebooks/(\d\d-[\w-]+)/evidence$", text, re.MULTILINE)
    before = max(name for name in listed if name < lesson.name)
    new = f"- file: notebooks/{lesson.name}/evidence"
    changes.write(contents, after(text, f"- file: notebooks/{before}/evidence", [new]))


def _steps(changes: Changes, lesson: Lesson, name: str) -> list[str]:
    return [
        f"In {changes.relative(lesson.claims)} write the claim in the course's words, the "
        "lectures that make it, what is measured and what would refute it; copy the claim and the "
        "condition to the section of the same name in evidence.ipynb. "
        "tests/notebooks/test_chapters.py and test_verdicts.py name what differs.",
        "Commit the condition before you run the experiment. "
        "tests/coursebook/test_conditions.py names a record that is older than its condition.",
        f"Write the experiment above the cell claim-{name}, and compute `holds` in that cell. "
        "tests/notebooks/test_verdicts.py names a figure without an interval.",
        f"tfcourse chapter {changes.relative(lesson.evidence)} (--draft tries it once).",
        f"Move the cell verdict-{name} of the lesson to where the claim is met, and write the "
        "words of the verdict there that the run has found. tests/notebooks/test_chapters.py names "
        "one that is not the evidence's.",
        f"pytest tests/notebooks -k {lesson.name}; pytest tests/coursebook/test_conditions.py "
        "tests/site/test_ledger.py",
    ]
