"""Write the zip that Gradescope takes as an autograder."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from nbjudge.course import SETTINGS, in_full, problem_set_names, sources
from nbjudge.files import PACKAGE, own_files, write_whole
from nbjudge.gradescope import VISIBILITIES
from nbjudge.inside.program import FILE, command_name, program, values_on
from nbjudge.intake.release import is_current
from nbjudge.intake.sources import (
    NOT_COPIED,
    loose_files,
    release_folder,
    source_folder,
    table_file,
)

#: What the zip has of the files in the course's folder, besides problem sets and packages.
OF_THE_COURSE = (
    *(SETTINGS, FILE, "_config.yml", "requirements.txt"),
    *("pyproject.toml", "README*", "LICENSE*"),
)

#: The folder in the zip for the course and the judge.
COURSE = "course"


def make_zip(problem_set: str, course: Path, hidden: str, into: Path | None = None) -> Path:
    """Write the autograder of a problem set, which holds its solutions; returns the zip's path.

    Parameters
    ----------
    problem_set:
        Its name, or the beginning of its name.
    course:
        The course's folder.
    hidden:
        When students see hidden tests: one of :data:`nbjudge.gradescope.VISIBILITIES`.
    into:
        The zip; by default ``PS-gradescope.zip`` in the current folder.

    Raises
    ------
    ValueError
        If there is no such problem set or it has changed since its release, ``hidden`` is unknown,
        or this installation of the judge cannot be installed elsewhere.
    """
    if hidden not in VISIBILITIES:
        raise ValueError(f"hidden is {hidden!r}, but it must be one of: {', '.join(VISIBILITIES)}.")
    if not (PACKAGE / "pyproject.toml").is_file():
        raise ValueError(
            "nbjudge was installed here from a wheel, and the zip needs its sources: install it "
            "from a clone, with `pip install -e ./nbjudge`."
        )
    problem_set = in_full(problem_set, course)
    source_folder(problem_set, course)
    if not is_current(problem_set, course):
        raise ValueError(
            f"{problem_set} has changed since its release: run `{command_name()} release "
            f"{problem_set}`, then this command again."
        )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        variables = {"PROBLEM_SET": problem_set, "HIDDEN": hidden}
        variables["EXTRAS"] = ",".join(["grade", *sorted(values_on())])
        for script in sorted((PACKAGE / "gradescope" / "zip").iterdir()):
            text = script.read_text("utf-8")
            for name, value in variables.items():
                text = text.replace(f"@{name}@", shlex.quote(value))
            _add(file, script.name, text.encode(), 0o755)
        files = dict(_of_the_course(problem_set, course))
        for name, path in sorted(files.items()):
            _add(file, f"{COURSE}/{name}", path.read_bytes(), 0o644)
    into = into or Path(f"{problem_set}-gradescope.zip")
    write_whole(into, content.getvalue())
    return into


def _add(file: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to the zip, with the same date whenever that is done."""
    about = zipfile.ZipInfo(name)
    about.external_attr, about.compress_type = mode << 16, zipfile.ZIP_DEFLATED
    file.writestr(about, content)


def _of_the_course(problem_set: str, course: Path) -> Iterator[tuple[str, Path]]:
    """The files that grading this problem set needs, by their path in the course's folder."""
    yield from _copied(own_files(), PACKAGE.parent)
    for package in (*program().folders(), *program().folders(tests_own=True)):
        yield from _below(package, package.parent)
    for folder in (source_folder(problem_set, course), release_folder(problem_set, course)):
        yield from _below(folder, course)
    own = [path for pattern in OF_THE_COURSE for path in sorted(course.glob(pattern))]
    # nbgrader's header. What else is beside the problem sets may be instructors' notes.
    own += [path for path in loose_files(course) if path.suffix == ".ipynb"]
    own += [table_file(problem_set, course) or course / SETTINGS]
    for path in filter(Path.is_file, own):
        yield path.relative_to(course).as_posix(), path
    # By their cells' names, handing in the wrong problem set is recognised.
    for other in problem_set_names(course):
        path = release_folder(other, course) / f"{other}.ipynb"
        if other != problem_set and path.is_file():
            yield f"{sources(course).name}/{other}/{other}.ipynb", path


def _below(folder: Path, above: Path) -> Iterator[tuple[str, Path]]:
    return _copied(sorted(folder.rglob("*")), above)


def _copied(paths: Iterable[Path], above: Path) -> Iterator[tuple[str, Path]]:
    for path in filter(Path.is_file, paths):
        place = path.relative_to(above)
        if not any(fnmatch(part, pattern) for part in place.parts for pattern in NOT_COPIED):
            yield place.as_posix(), path
