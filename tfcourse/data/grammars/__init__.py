"""Corpora drawn from small grammars, each written for an experiment."""

from tfcourse.data.grammars import agreement, lookups, opinions, senses  # noqa: F401
