"""An empty lesson: its notebook, evidence with one claim, topics, quiz, and where it is listed."""

from __future__ import annotations

import re
from pathlib import Path

from coursebook import course, quizzes
from coursebook.course import Lesson
from coursebook.new import claim
from coursebook.new.cells import cells, install_cell, notebook_of, run, template, written
from coursebook.new.changes import MARK, Changes, Refused, after, in_words, named_well

#: A lesson has so many ideas at least, each with two drawings and a turn.
IDEAS = 4

_NAME = re.compile(r"(?P<number>\d\d)-(?P<slug>\D[\w-]*)")


def make(changes: Changes, name: str) -> list[str]:
    """Make a lesson; returns what is left to do.

    Raises
    ------
    Refused
        If the name is not in the form of all, its number is not the next one, or it is taken.
    """
    root = changes.root
    before, slug = _checked(root, name)
    lesson = Lesson(root, name)
    words = {
        "number": str(int(name[:2])),
        "title": in_words(slug),
        "before": before,
        "before_number": str(int(before[:2])),
        "question": f"{slug}-first",
    }
    _list(changes, name, before)
    changes.write(lesson.quiz, template("quiz", **words))
    changes.write(lesson.topics, template("topics"))
    opening, *first = cells("lesson", **words)
    parts = [opening, install_cell(Lesson(root, before).notebook), *first]
    for idea in range(1, IDEAS + 1):
        parts += cells("section", n=str(idea))
    parts += cells("statement", id=f"{slug}-first", **claim.WORDS) + cells("end", **words)
    # The question is found only in a lesson whose notebook is there.
    changes.write(lesson.notebook, written(notebook_of(parts, {})))
    notebook = run(parts, root)
    notebook.metadata["tfcourse"] = {"budget_seconds": 20}
    changes.write(lesson.notebook, written(notebook))
    claim.add(changes, lesson, f"{slug}-first")
    return _steps(name, slug)


def _checked(root: Path, name: str) -> tuple[str, str]:
    """The lesson before the new one, and the new one's name without its number."""
    found = _NAME.fullmatch(name)
    if found is None:
        raise Refused(
            f"the lesson's name is {name!r}, but it must be a number of two digits and a name, "
            "such as 15-diffusion."
        )
    named_well("lesson", slug := found["slug"])
    names = [one.name for one in course.lessons(root)]
    if slug in [one[3:] for one in names]:
        raise Refused(f"there is a lesson named {slug!r} already: choose another name.")
    following = f"{int(names[-1][:2]) + 1:02}"
    if found["number"] != following:
        raise Refused(
            f"the lesson's number is {found['number']}, but lessons are numbered without gaps and "
            f"a new one comes last: name it {following}-{slug}."
        )
    if Lesson(root, name).folder.exists():
        raise Refused(f"notebooks/{name} is there already: remove it first.")
    if f"{slug}-first" in quizzes.read(root):
        raise Refused(f"there is a question {slug}-first already: choose another name.")
    claim.check(root, f"{slug}-first")
    return names[-1], slug


def _list(changes: Changes, name: str, before: str) -> None:
    """Put the lesson into the site's contents and the plan, below the lesson before it."""
    contents, plan = changes.root / "_toc.yml", changes.root / "book" / "chapters.yml"
    new = f"- file: notebooks/{name}/{name}"
    text = contents.read_text("utf-8")
    changes.write(contents, after(text, f"- file: notebooks/{before}/{before}", [new]))
    entry = [
        f"{name}:",
        f"  title: {in_words(name[3:])}",
        f"  about: Which question does it answer? That is {MARK}.",
    ]
    changes.write(plan, after(plan.read_text("utf-8"), f"{before}:", entry))


def _steps(name: str, slug: str) -> list[str]:
    return [
        "Write the lesson's title and its question in book/chapters.yml, and the title above the "
        "lesson. Until then tests/house/test_written.py names them in `make test-release`.",
        f"Write notebooks/{name}/{name}.ipynb: at least four ideas, each with a picture, a tiny "
        "example, code, a turn and what is missing. tests/notebooks/test_chapters.py names a part "
        "that is gone.",
        f"Write the claim {slug}-first and its experiment, or more claims: "
        f"python -m coursebook new claim {name} {slug}-NAME. "
        "tests/notebooks/test_chapters.py and tests/site/test_ledger.py name what does not agree.",
        f"Name the lectures' topics in notebooks/{name}/topics.yml (instead of {{}}), in "
        "book/coverage.yml and in the cells that teach them. tests/site/test_coverage.py names a "
        "topic that is not in all three.",
        f"tfcourse chapter notebooks/{name}/*.ipynb",
        f"pytest tests/notebooks -k {name}",
        f"python -m coursebook new figure {name} NAME. tests/solutions/test_teaching_notes.py asks "
        "for one that instructors can show, once there is a problem set.",
        f"python -m coursebook new exercise ps{name} NAME makes the problem set. Until then "
        "tests/house/test_written.py names the lesson in `make test-release`.",
        "Then put the lesson into book/weeks.yml (tests/site/test_weeks.py names it) and write its "
        "notes in solutions/teaching-notes.md (tests/solutions/test_teaching_notes.py names it).",
        "make book, then make test",
    ]
