"""Corpora drawn from small grammars, each written for an experiment."""

from tfcourse.data.grammars import agreement, lookups, senses  # noqa: F401
