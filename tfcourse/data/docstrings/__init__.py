"""Corpora from the docstrings of the packages that the course pins: prose, and documents."""

from tfcourse.data.docstrings import classes, prose  # noqa: F401
