"""The scripts are imported as they import each other: by name, from their own folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="package")
def scripts(course: Path) -> Iterator[Path]:
    """The scripts' folder, where Python looks only while a test of them runs."""
    folder = course / "benchmarks"
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))
