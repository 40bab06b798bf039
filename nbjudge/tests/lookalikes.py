"""A course of eight code answers and a text, and a class of sixty of whom a few resemble others.

Nothing is judged: the folder of graded work is made as grading makes it, up to the running.
"""

from __future__ import annotations

import random
from pathlib import Path

import nbformat
from made_course import TEST, code, metadata, notebook_of
from nbformat.v4 import new_markdown_cell
from small_set import NAME, make_course

from nbjudge.intake import cells
from nbjudge.intake.merge import blank
from nbjudge.intake.messages import Opened
from nbjudge.intake.release import make_release
from nbjudge.intake.steps import Intake
from nbjudge.judge import names_of
from nbjudge.store.folder import GradingFolder

EXERCISES = [f"task-{number}" for number in range(8)]
TEXT = "explain--written"

MODEL = """\
def {name}(values, limit):
    kept = [value for value in values if value is not None and value < limit]
    largest = max(kept, default=0) - min(kept, default=0)
    return [(value - min(kept)) / (largest or 1) for value in kept]  # from 0 to 1"""

#: What 40 of 60 write.
OBVIOUS = """\
def {name}(values, limit):
    return sorted({{value**2 for value in values if abs(value) <= limit}}, reverse=True)[:10]"""

_STEPS = (
    "{a} = [{b} + {n} * {c} for {b}, {c} in zip(values, values[{m}:])]",
    "for {a} in range({n}, len(values), {m}):\n        limit -= values[{a}] % {n}",
    "while limit > {n} and values:\n        {a} = values.pop() // {m}\n        limit = limit - {a}",
    "{a} = sum({b} ** {n} for {b} in values if {b} != {m}) / max(len(values), {n})",
    "if not values or limit <= {n}:\n        raise ValueError('limit', {m}, limit)",
    "{a} = {{{b}: {c} - {n} for {c}, {b} in enumerate(values, {m})}}",
    "values = list(map(lambda {a}: ({a} - {n}) * ({a} + {m}), values))",
    "try:\n        {a} = values[{n}] << {m}\n    except IndexError:\n        {a} = -{n}",
    "{a}, *{b} = sorted(values, key=lambda {c}: -{c} % {n})[{m}:] or [{n}, {m}]",
    "assert all(isinstance({a}, int) and {a} > -{n} for {a} in values[:{m}]), values",
)
_NAMES = "alpha beta gamma delta total count item found rest part step scale rate best row"


def program(rng: random.Random, name: str) -> str:
    """A program that nobody else writes."""
    lines = [f"def {name}(values, limit):"]
    for step in rng.sample(_STEPS, 5):
        a, b, c = rng.sample(_NAMES.split(), 3)
        lines.append("    " + step.format(a=a, b=b, c=c, n=rng.randint(2, 40), m=rng.randint(1, 9)))
    return "\n".join([*lines, f"    return values[: limit + {rng.randint(1, 99)}]"])


def words(rng: random.Random) -> str:
    """A paragraph that nobody else writes."""
    return " ".join("".join(rng.sample("abcdefghijklmnop", 4)) for _ in range(60))


def course(folder: Path) -> Path:
    """The course, with its release made."""
    made = [code("setup", "import math", locked=True)]
    for name in EXERCISES:
        answer = MODEL.format(name=name.replace("-", "_"))
        head, _, body = answer.partition("\n")
        source = f"{head}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION"
        made += [
            code(name, source, solution=True),
            code(
                f"{name}--test",
                f"assert {name.replace('-', '_')}([1, 2], 3)",
                **TEST,
                points=1,
            ),
        ]
    about = metadata(TEXT, grade=True, solution=True, points=3)
    made.append(new_markdown_cell("The mean of many is less far off.", id="words", metadata=about))
    make_course(folder, notebook_of(made))
    make_release(NAME, folder)
    return folder


def graded(into: Path, course: Path, answers: dict[str, dict[str, str]]) -> GradingFolder:
    """A folder of graded work with these answers, by learner and exercise."""
    folder = GradingFolder(into, course, NAME)
    into.mkdir(parents=True)
    with folder.ledger() as ledger:
        folder.prepare(ledger)
    release, source = folder.release(), folder.source()
    intake = Intake(
        Opened(
            template=nbformat.writes(blank(source, release)),
            release=nbformat.writes(release),
            names={name: list(names) for name, names in names_of(source).items()},
        )
    )
    for student, own in answers.items():
        staged = intake.stage(nbformat.writes(written(release, own)).encode())
        path = folder.notebook("submitted", student)
        path.parent.mkdir(parents=True)
        path.write_text(staged.notebook, "utf-8")
    return folder


def written(release: nbformat.NotebookNode, answers: dict[str, str]) -> nbformat.NotebookNode:
    """A learner's notebook with these answers by exercise."""
    notebook = nbformat.reads(nbformat.writes(release), as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cells.grade_id(cell), cell.source)
    return notebook


def honest(seed: int) -> dict[str, str]:
    """The answers of somebody who has copied nothing; two in three write the obvious first one."""
    rng = random.Random(seed)
    answers = {name: program(rng, name.replace("-", "_")) for name in EXERCISES}
    if seed % 3:
        answers["task-0"] = OBVIOUS.format(name="task_0")
    return answers | {TEXT: words(rng)}
