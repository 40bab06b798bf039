"""The small course, and one class of everybody, graded once for all tests here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
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
