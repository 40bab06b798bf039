"""The course in whose repository the judge is developed, and which some of its tests need.

In the source distribution the judge is alone, and those tests are skipped. The others are told of
the course in ``courses/small`` then.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nbjudge.inside import program

SMALL = Path(__file__).resolve().parent / "courses" / "small"

#: The folder that holds the judge's.
AROUND = Path(__file__).resolve().parents[2]
ALONE = not (AROUND / "nbjudge_tfcourse").is_dir()
WITHOUT = "needs the course in whose repository nbjudge is developed"

if ALONE:  # before anything asks for the course; kernels and workers inherit it
    os.environ.setdefault(program.VARIABLE, str(SMALL))


def the_course() -> Path:
    """The course's folder. Without a course, the test or the module that asks is skipped."""
    if ALONE:
        pytest.skip(WITHOUT, allow_module_level=True)
    return AROUND
