"""Finds the course's own files: chapters, problem sets, solutions, the book."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

#: The files that together mark the root of the course.
MARKS = ("_toc.yml", "nbgrader_config.py")


def _is_root(folder: Path) -> bool:
    return all((folder / mark).is_file() for mark in MARKS)


def root(start: str | Path | None = None) -> Path:
    """The folder that holds the course: ``_toc.yml``, ``notebooks/``, ``solutions/``, ``book/``.

    It is looked for in ``TFCOURSE_ROOT``, then in ``start`` (by default the current folder) and
    the folders above it, then beside the installed package.

    Raises
    ------
    FileNotFoundError
        If none of these holds the course; the message says what to do.
    """
    if named := os.environ.get("TFCOURSE_ROOT"):
        folder = Path(named).expanduser().resolve()
        if _is_root(folder):
            return folder
        raise FileNotFoundError(
            f"TFCOURSE_ROOT is {named!r}, but there is no {' and '.join(MARKS)} in it. "
            "Set it to the folder that the course was cloned to."
        )
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[1]):
        if _is_root(folder):
            return folder
    raise FileNotFoundError(
        f"No course found in {here} or above it. Run this inside a clone of the course, "
        "or set TFCOURSE_ROOT to the folder that holds one."
    )


def problem_set_names(course: Path) -> list[str]:
    """The course's problem sets, in order: ``["ps05-self-attention", ...]``."""
    return sorted(p.name for p in (course / "solutions").glob("ps*") if p.is_dir())


@dataclass(frozen=True)
class Lesson:
    """Where everything about one lesson is: the only place that knows the layout of its folder."""

    course: Path
    name: str

    @property
    def folder(self) -> Path:
        """The folder that holds the lesson."""
        return self.course / "notebooks" / self.name

    @property
    def notebook(self) -> Path:
        """The lesson itself, with stored outputs."""
        return self.folder / f"{self.name}.ipynb"

    @property
    def evidence(self) -> Path:
        """The experiments that test its claims; some lessons have none."""
        return self.folder / "evidence.ipynb"

    @property
    def claims(self) -> Path:
        """What the lectures claim about its subject, and what would refute each claim."""
        return self.folder / "claims.yml"

    @property
    def topics(self) -> Path:
        """The lectures' topics that it is the first to teach."""
        return self.folder / "topics.yml"

    @property
    def quiz(self) -> Path:
        """Its questions."""
        return self.folder / "quiz.md"

    @property
    def figures(self) -> Path:
        """The folder of its live figures, with a folder for each."""
        return self.folder / "figures"

    @property
    def measure(self) -> Path:
        """The folder of the scripts that measure what its pages quote."""
        return self.folder / "measure"

    @property
    def records(self) -> Path:
        """The folder of what they found."""
        return self.folder / "records"

    @property
    def page(self) -> str:
        """The lesson's page on the site, without the ending."""
        return page(self.course, self.notebook)

    @property
    def evidence_page(self) -> str:
        """The evidence's page on the site, without the ending."""
        return page(self.course, self.evidence)


def page(course: Path, path: Path) -> str:
    """The page of the site that a file becomes, without the ending."""
    return path.relative_to(course).with_suffix("").as_posix()


def lessons(course: Path) -> list[Lesson]:
    """The lessons that are written, in order."""
    named = (Lesson(course, path.name) for path in (course / "notebooks").glob("[0-9][0-9]-*"))
    return sorted((one for one in named if one.notebook.is_file()), key=lambda one: one.name)


def named(course: Path, name: str) -> list[Lesson]:
    """The lesson of a name such as ``05-self-attention``, ``05`` or ``5``; all for an empty name.

    Raises
    ------
    FileNotFoundError
        If there is none; the message lists them.
    """
    number = f"{int(name):02}-" if name.isdecimal() else name
    every = lessons(course)
    found = [one for one in every if one.name == name or one.name.startswith(number)]
    if not found:
        names = ", ".join(one.name for one in every)
        raise FileNotFoundError(f"There is no lesson {name!r}. There are {names}.")
    return found


def lessons_with_problem_sets(course: Path) -> list[Lesson]:
    """The lessons that can be taught: all but one that is still being written."""
    numbers = {name[2:4] for name in problem_set_names(course)}
    return [one for one in lessons(course) if one.name[:2] in numbers]


def lesson_of(path: Path) -> Lesson:
    """The lesson in whose folder a notebook lies."""
    return Lesson(path.parents[2], path.parent.name)


def is_evidence(path: Path) -> bool:
    """Whether a notebook is a lesson's evidence."""
    return path.name == "evidence.ipynb"


def short_name(path: Path) -> str:
    """A lesson's or an evidence notebook's name in lists and tests.

    ``"05-self-attention"`` or ``"05-self-attention/evidence"``.
    """
    name = lesson_of(path).name
    return f"{name}/evidence" if is_evidence(path) else name


def chapter_paths(course: Path) -> list[Path]:
    """The lessons' notebooks, in order."""
    return [lesson.notebook for lesson in lessons(course)]


def evidence_paths(course: Path) -> list[Path]:
    """The evidence notebooks, in order. They hold the experiments that test the claims."""
    return [lesson.evidence for lesson in lessons(course) if lesson.evidence.is_file()]


def record_paths(course: Path) -> dict[str, Path]:
    """Every record of a measurement by its name, wherever it is kept."""
    folders = [course / "benchmarks" / "records", *(one.records for one in lessons(course))]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.json"))}


def script_paths(course: Path) -> dict[str, Path]:
    """Every script that measures something by its name, and the modules beside them (``_...``)."""
    folders = [course / "benchmarks", *(one.measure for one in lessons(course))]
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.py"))}


def figure_folders(course: Path) -> dict[str, Path]:
    """The folder of each live figure by its name: its lesson's, or in ``book/figures``."""
    places = [*(one.figures for one in lessons(course)), course / "book" / "figures"]
    return {
        path.name: path for place in places for path in sorted(place.glob("*")) if path.is_dir()
    }


def figure_script(course: Path, name: str) -> Path:
    """The script that draws and moves a live figure."""
    return figure_folders(course)[name] / "figure.js"


def figure_numbers(course: Path, name: str) -> Path:
    """The file of numbers that live figures compute with, in the folder of one of them.

    Raises
    ------
    FileNotFoundError
        If there is none.
    """
    for folder in figure_folders(course).values():
        if (path := folder / f"{name}.json").is_file():
            return path
    raise FileNotFoundError(f"no live figure's folder has a {name}.json")


def figure_pictures(course: Path, name: str) -> list[Path]:
    """The stored pictures of a live figure, in order."""
    folder = figure_folders(course).get(name)
    return sorted(folder.glob(f"{name}.[0-9].svg")) if folder else []
