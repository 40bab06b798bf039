"""``{record}`` and ``{grading-attacks}``: measurements, shown from the records themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from coursebook import course, records
from coursebook.sphinx.map import MarkdownTable

#: How a table shows what plain nbgrader did to an honest submission graded beside a hostile one.
LOST, NOT_GRADED = "lost marks", "not graded"


class _Record(MarkdownTable):
    """A directive for one record, absent without it; the page is rebuilt when it changes."""

    def run(self) -> list[nodes.Node]:
        name = self.name_of_record()
        path = course.record_paths(Path(self.env.srcdir)).get(name)
        if path is None:
            return []
        self.env.note_dependency(str(path))
        record = json.loads(path.read_text("utf-8"))
        return self.markdown([*self.lines(record["results"]), *self.origin(record)])

    def name_of_record(self) -> str:
        return self.arguments[0]

    def lines(self, results: dict) -> list[str]:
        """The page's text about the results, in Markdown."""
        raise NotImplementedError

    @staticmethod
    def origin(record: dict) -> list[str]:
        """Where, when and by which command it was measured."""
        about, command = records.where_and_when(record), record["command"]
        return ["", f"{about}: `{command}`", ""]


def rows(results: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every number and string in a record, with the path of names that leads to it."""
    if isinstance(results, dict) and results:
        for key, value in results.items():
            yield from rows(value, f"{name}: {key}" if name else str(key))
    elif isinstance(results, list) and any(isinstance(one, dict | list) for one in results):
        for number, value in enumerate(results, 1):
            yield from rows(value, f"{name} {number}".strip())
    elif isinstance(results, list):
        yield name, ", ".join(map(str, results)) or "none"
    elif isinstance(results, int | float) and not isinstance(results, bool):
        yield name, f"{results:,}"
    else:
        yield name, "none" if results in ({}, None) else str(results)


class Record(_Record):
    """Everything in a record, one row per figure."""

    required_arguments = 1
    classes = ["record"]

    def lines(self, results: dict) -> list[str]:
        found = [f"| {name} | {value} |" for name, value in rows(results)]
        return ["| Measured | |", "|---|--:|", *found]


def gained(attack: dict, by: str) -> bool:
    """Whether a grader gave an attack more marks than an honest failure gets."""
    return attack[by]["attack"] > attack["honest"]


def beside(attack: dict, full: float) -> str:
    """What plain nbgrader did to the honest submissions graded before and after an attack."""
    theirs = attack["nbgrader"]
    if not theirs["ended"] or theirs["neighbour"] is None:
        return NOT_GRADED
    kept = theirs["neighbour"] == full and theirs["earlier"] == full
    return "kept" if kept else LOST


class GradingAttacks(_Record):
    """What each hostile submission got from plain nbgrader and from this grader."""

    classes = ["grading-attacks"]

    def name_of_record(self) -> str:
        return "grading-attacks"

    def lines(self, results: dict) -> list[str]:
        attacks, full = results["attacks"], results["points"]
        harmed = [beside(attack, full) for attack in attacks]
        more = {by: sum(gained(one, by) for one in attacks) for by in ("nbgrader", "tfcourse")}
        lines = [
            f"Of {len(attacks)} hostile submissions, plain nbgrader gives "
            f"**{more['nbgrader']}** more marks than an honest failure gets; beside "
            f"{harmed.count(LOST)} of them an honest "
            f"learner lost marks, and beside {harmed.count(NOT_GRADED)} one was not graded at all. "
            f"This grader gives **{more['tfcourse']}** of them more, and its report flags "
            f"{sum(one['tfcourse']['flagged'] for one in attacks)}. The task has {full:g} points.",
        ]
        for kind, group in groupby(sorted(attacks, key=lambda a: a["kind"]), lambda a: a["kind"]):
            lines += ["", f"**{kind[0].upper()}{kind[1:]}**", ""]
            lines += [
                "| What it tries | An honest failure gets | nbgrader gives | honest work beside it "
                "| this grader gives |",
                "|---|--:|--:|---|--:|",
            ]
            lines += [self.row(attack, full) for attack in group]
        return lines

    @staticmethod
    def row(attack: dict, full: float) -> str:
        given = [f"{attack[by]['attack']:g}" for by in ("nbgrader", "tfcourse")]
        theirs, ours = (
            f"**{points}**" if gained(attack, by) else points
            for points, by in zip(given, ("nbgrader", "tfcourse"), strict=True)
        )
        tries = attack["tries"].replace("|", "\\|")
        return f"| {tries} | {attack['honest']:g} | {theirs} | {beside(attack, full)} | {ours} |"


def setup(app: Sphinx) -> dict:
    app.add_directive("record", Record)
    app.add_directive("grading-attacks", GradingAttacks)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
