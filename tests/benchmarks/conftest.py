"""The scripts are imported as they import each other: by name, from their own folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coursebook.course import script_paths


@pytest.fixture(scope="package")
def scripts(course: Path) -> Iterator[Path]:
    """The scripts' folders, where Python looks only while a test of them runs."""
    folders = list(dict.fromkeys(str(path.parent) for path in script_paths(course).values()))
    sys.path[:0] = folders
    yield course / "benchmarks"
    for folder in folders:
        sys.path.remove(folder)
