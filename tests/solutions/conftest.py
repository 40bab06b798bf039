"""Each problem set, its class judged once for all tests here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace

import pytest
from in_place import InPlace
from whole_class import COURSE, SANDBOXED, SEED, hand_in, some
from wrongly import lost_of_exercise

from nbjudge.inside.program import program
from nbjudge.intake import release
from nbjudge.run import bench
from nbjudge.run.engine import grade
from nbjudge.sandbox import Nursery


class OneOfLearners:
    """In place of the grader's nursery: all sets' learners share ``one``; torch is loaded once.

    A set's examiners have a parent of its own, which knows the set's wrong answers.
    """

    def __init__(self, one: Nursery, sandboxed: bool, **told: object):
        self._examiners = Nursery(sandboxed, **told)
        self.kernel, self.isolated, self.description = one.kernel, one.isolated, one.description
        self.examiner = self._examiners.examiner

    def __enter__(self) -> OneOfLearners:
        return self

    def __exit__(self, *_: object) -> None:
        self._examiners.close()

    def start(self) -> None:
        """Both parents start on first use."""


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """The one whose learners' kernels all tests here share."""
    with Nursery(SANDBOXED) as one:
        yield one


@pytest.fixture(scope="module", autouse=True)
def one_of_learners(nursery: Nursery) -> Iterator[None]:
    """Have the grader take it, where it grades in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench, "Nursery", lambda *how, **told: OneOfLearners(nursery, *how, **told))
        yield


@pytest.fixture(scope="session")
def graded(tmp_path_factory) -> Callable[[str], SimpleNamespace]:
    """A function of a problem set's name that grades some of :mod:`whole_class`, or all, once.

    It gives ``report``, and the folders ``course`` (a copy with a release of its own),
    ``submitted`` and ``into``.
    """

    @cache
    def run(problem_set: str, students: tuple[str, ...] | None) -> SimpleNamespace:
        folder = tmp_path_factory.mktemp(problem_set)
        course = folder / "course"
        for name in ("_toc.yml", "nbgrader_config.py"):
            course.mkdir(exist_ok=True)
            shutil.copy(COURSE / name, course / name)
        shutil.copytree(COURSE / "solutions" / problem_set, course / "solutions" / problem_set)
        shutil.copytree(COURSE / program().wrong_results, course / program().wrong_results)
        with pytest.MonkeyPatch.context() as patch:
            # What wrong answers return takes most of a release's time: whether it is what is stored
            # is another test's (test_the_committed_table_is_what_the_wrong_answers_return).
            patch.setattr(release, "_write_table", lambda *_: None)
            release.make_release(problem_set, course)
        submitted, into = folder / "submitted", folder / "graded"
        hand_in(problem_set, course, submitted, students)
        # In this process: classes are graded side by side, and two workers for each would load
        # torch six times more than one does. Workers have tests of their own.
        report = grade(
            *(problem_set, submitted, into),
            course=course, seed=SEED, workers=1, sandboxed=SANDBOXED,
        )  # fmt: skip
        return SimpleNamespace(report=report, course=course, submitted=submitted, into=into)

    failed: dict[str, Exception] = {}

    def once(problem_set: str, whole: bool = False) -> SimpleNamespace:
        # What could not be graded is not tried again for each of its tests.
        if problem_set not in failed:
            try:
                return run(problem_set, None if whole else some(problem_set, COURSE))
            except Exception as error:
                failed[problem_set] = error
        raise failed[problem_set]

    return once


@pytest.fixture(scope="session")
def in_place() -> Callable[..., InPlace]:
    """A function of a problem set's name that gives what judges its answers in this process."""
    return cache(lambda problem_set, graded=True: InPlace(problem_set, graded=graded))


@pytest.fixture(scope="session")
def lost(graded, in_place) -> Callable[[str, str, str, str], dict[str, str]]:
    """What an answer loses: test → what is told; of problem set, student, exercise and answer.

    From the report, if the student is one of those who are graded; else judged in place.
    """

    def of(problem_set: str, student: str, exercise: str, answer: str) -> dict[str, str]:
        if student in some(problem_set, COURSE):
            return lost_of_exercise(graded(problem_set).report.students[student], exercise)
        return in_place(problem_set).lost(exercise, answer)

    return of
