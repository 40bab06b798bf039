"""Grading: turns a folder of submissions into marks, feedback pages and a grade table."""

__version__ = "0.1.0"
