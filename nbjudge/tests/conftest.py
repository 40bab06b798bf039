"""The small course, and one class of everybody, graded once for all tests here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import around
import judged_set
import pytest
import small_set
from forked_desk import Loaded
from odd_class import hand_in_class

from nbjudge.desk import run as desk_run
from nbjudge.inside import program
from nbjudge.intake.release import make_release
from nbjudge.run import bench
from nbjudge.store.results import Report
from nbjudge.testing import by_hand

HERE = Path(__file__).parent

if around.ALONE:

    def pytest_configure(config: pytest.Config) -> None:
        """Declare the markers by which the course's own runs choose among all tests."""
        for marker in ("browser", "case_of(kind)", "release(noun)", "thorough(noun)"):
            config.addinivalue_line("markers", marker)

    @pytest.fixture(scope="session")
    def course() -> Path:
        """Skip what needs the course."""
        return around.the_course()

    @pytest.fixture(scope="session")
    def shared(course: Path) -> Path:
        """Skip what needs the folder beside the course."""
        return course

    @pytest.fixture(scope="session")
    def chromium() -> None:
        """Skip what needs a browser: the course's tests start it."""
        around.the_course()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What looks at the class of everybody waits for its grading."""
    for item in items:
        if item.path.parent == HERE and "graded" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.thorough("grading of small classes"))


@pytest.fixture(autouse=True)
def back_to_the_course() -> Iterator[None]:
    """A command works on the course that it is given for the rest of its process's life."""
    before = os.environ.get(program.VARIABLE)
    program.program()  # it is read where the tests begin, whatever folder a test goes to
    yield
    if before is None:
        os.environ.pop(program.VARIABLE, None)
    else:
        os.environ[program.VARIABLE] = before
    program.go_to(None)


@pytest.fixture(scope="session", autouse=True)
def one_loading() -> Iterator[None]:
    """Let the processes that check notebooks be forks of one, so that torch is loaded once."""
    loaded = Loaded()
    there = SimpleNamespace(**{**vars(subprocess), "Popen": loaded.popen})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(desk_run, "subprocess", there)
        yield
    loaded.close()


@pytest.fixture(scope="session")
def small_course(tmp_path_factory) -> Path:
    """A course that holds the small set, with its release made."""
    course = small_set.make_course(tmp_path_factory.mktemp("course"))
    make_release(small_set.NAME, course)
    return course


@pytest.fixture
def in_small_course(small_course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands work on the small course, and break no line that they print."""
    monkeypatch.setenv("TFCOURSE_ROOT", str(small_course))
    monkeypatch.setenv("COLUMNS", "400")


@pytest.fixture
def nothing_forbidden() -> Iterator[None]:
    """Whatever a test forbids is allowed before it and after it."""
    by_hand()
    yield
    by_hand()


class OneNursery:
    """In place of the grader's nursery: all tests share one, so that torch is loaded once.

    What is entered is this, not the nursery behind it: the grader closes what it has entered.
    """

    def __init__(self, sandboxed: bool = True, **ignored: object):
        self._real = judged_set.nursery(sandboxed)

    def __enter__(self) -> OneNursery:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


@pytest.fixture(scope="module")
def one_nursery() -> Iterator[None]:
    """Let submissions that are judged in this process share a nursery."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "Nursery", OneNursery)
        yield


@pytest.fixture(scope="session")
def graded_three(small_course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of three, graded once: ada is right, ben half right, eve cannot be read."""
    folder = tmp_path_factory.mktemp("three")
    small_set.hand_in(folder / "in", "ada", small_set.answered(small_course))
    small_set.hand_in(folder / "in", "ben", small_set.answered(small_course, double="double = abs"))
    small_set.hand_in(folder / "in", "eve", "{")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "Nursery", OneNursery)
        small_set.grade(folder / "in", folder / "out", small_course)
    return folder


@pytest.fixture
def three(one_nursery, graded_three: Path, small_course: Path, tmp_path: Path) -> Callable:
    """A function that grades that class again, in copies; ``rules`` becomes its class.toml."""
    for name in ("in", "out"):
        shutil.copytree(graded_three / name, tmp_path / name)

    def run(rules: str | None = None, course: Path = small_course, **more: object) -> Report:
        if rules is not None:
            (tmp_path / "in" / "class.toml").write_text(rules, encoding="utf-8")
        return small_set.grade(tmp_path / "in", tmp_path / "out", course, **more)

    run.submitted, run.into, run.course = tmp_path / "in", tmp_path / "out", small_course
    return run


@pytest.fixture(scope="session")
def graded(small_course, tmp_path_factory) -> SimpleNamespace:
    """The class of :mod:`odd_class`, graded: ``report``, and where ``submitted`` and ``into`` are.

    Read only: a test that grades again copies it.
    """
    folder = tmp_path_factory.mktemp("class")
    submitted, into = folder / "submitted", folder / "graded"
    hand_in_class(submitted, small_course)
    progress = []
    report = small_set.grade(
        submitted, into, small_course, workers=2, progress=lambda *state: progress.append(state)
    )
    return SimpleNamespace(
        report=report, submitted=submitted, into=into, course=small_course, progress=progress
    )
