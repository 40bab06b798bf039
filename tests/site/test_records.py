"""What was measured is shown from its record, all of it; without one there is nothing."""

import json
import re
from pathlib import Path

from tiny_site import build

ABOUT = {
    "date": "2026-11-22",
    "command": "python benchmarks/odd_files.py",
    "device": "A processor",
    "threads": 2,
    "versions": {"python": "3.11", "torch": "2.13.0"},
    "seed": 0,
}


def attack(name: str, kind: str, nbgrader: dict, ours: float = 0.0) -> dict:
    theirs = {"attack": 0.0, "neighbour": 21.0, "earlier": 21.0, "ended": True} | nbgrader
    return {
        "name": name, "kind": kind, "tries": f"Tries {name}.", "honest": 0.0,
        "nbgrader": theirs, "tfcourse": {"attack": ours, "flagged": name == "forging"},
    }  # fmt: skip


def page(folder: Path, text: str, **results: dict) -> str:
    place = folder / "benchmarks" / "records"
    place.mkdir(parents=True)
    for name, found in results.items():
        (place / f"{name}.json").write_text(json.dumps({**ABOUT, "results": found}))
    html, warnings = build(folder, text, ("coursebook.sphinx.records",))
    assert warnings == ""
    return html


def words(html: str) -> str:
    """A page without its tags."""
    return re.sub("<[^>]+>", "", html)


def test_every_figure_of_a_record_is_a_row(tmp_path):
    found = {"files": {"count": 20000, "crashed": []}, "each block": [1.5, 2.5]}
    shown = words(page(tmp_path, "```{record} odd\n```", odd=found))
    for text in ("files: count", "20,000", "files: crashed", "none", "each block", "1.5, 2.5",
                 "A processor, 2 thread(s)", "python benchmarks/odd_files.py"):  # fmt: skip
        assert text in shown


def test_a_record_that_is_not_there_is_absent(tmp_path):
    shown = words(page(tmp_path, "```{record} grading-speed\n```\n\n```{grading-attacks}\n```"))
    assert "measured" not in shown.lower() and "benchmarks" not in shown


def test_hostile_submissions_are_counted_and_shown_by_kind(tmp_path):
    attacks = [
        attack("forging", "notebook file", {"attack": 5.0}),
        attack("hanging", "time", {"ended": False, "neighbour": None}),
        attack("spoiling", "time", {"neighbour": 3.0}),
        attack("nothing", "time", {}),
    ]
    found = {"points": 21.0, "attacks": attacks}
    html = page(tmp_path, "```{grading-attacks}\n```", **{"grading-attacks": found})
    assert "Of 4 hostile submissions, plain nbgrader gives <strong>1</strong>" in html
    assert "beside 1 of them an honest learner lost marks, and beside 1 one was not graded" in html
    assert "gives <strong>0</strong> of them more, and its report flags 1." in html
    assert "<strong>Notebook file</strong>" in html and "<strong>Time</strong>" in html
    assert '<td class="text-right"><p><strong>5</strong>' in html
    for text in ("Tries forging.", "kept", "lost marks", "not graded"):
        assert text in html
