"""Grading: from a folder of submissions to marks, pages of feedback and a table."""
