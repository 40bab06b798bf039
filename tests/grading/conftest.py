"""The small course, and one class of everybody, graded once for all tests here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
import small_set
from odd_class import hand_in_class

from tfcourse.grading.engine import grade
from tfcourse.grading.release import make_release


@pytest.fixture(scope="session")
def small_course(tmp_path_factory) -> Path:
    """A course that holds the small set, with its release made."""
    course = small_set.make_course(tmp_path_factory.mktemp("course"))
    make_release(small_set.NAME, course)
    return course


@pytest.fixture(scope="session")
def graded(small_course, tmp_path_factory) -> SimpleNamespace:
    """The class of :mod:`odd_class`, graded: ``report``, and where ``submitted`` and ``into`` are.

    Read only: a test that grades again copies it.
    """
    folder = tmp_path_factory.mktemp("class")
    submitted, into = folder / "submitted", folder / "graded"
    hand_in_class(submitted, small_course)
    told = []
    report = grade(
        small_set.NAME,
        submitted,
        into,
        course=small_course,
        cell_seconds=2,
        submission_seconds=10,
        progress=lambda *state: told.append(state),
    )
    return SimpleNamespace(
        report=report, submitted=submitted, into=into, course=small_course, told=told
    )
