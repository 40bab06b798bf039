"""Corpora from docstrings: prose, and documents. Their sentences come with the package."""

from tfcourse.data.docstrings import classes, prose  # noqa: F401
