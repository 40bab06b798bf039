"""Run nbgrader's own converter, which makes a learner's notebook from an instructor's."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from nbjudge.intake.sources import quiet_log


class _Listener(logging.Handler):
    """Collects log messages."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def own_programs_first() -> Iterator[None]:
    """Make nbgrader, which runs ``alembic`` by name, find the running Python's own."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def generate(problem_set: str, config: Config) -> None:
    """Run nbgrader's ``generate_assignment`` for one problem set of the course in ``config``.

    Raises
    ------
    ValueError
        If nbgrader rejects the notebook; the message says why.
    """
    log, listener = quiet_log(), _Listener(logging.ERROR)
    log.addHandler(listener)
    folder = CourseDirectory(config=config, log=log)
    folder.assignment_id = problem_set
    try:
        with own_programs_first():
            GenerateAssignment(coursedir=folder, config=config, log=log, force=True).start()
    except NbGraderException:
        reasons = [
            text.strip().splitlines()[-1] for text in listener.messages if "Traceback" in text
        ]
        raise ValueError(
            f"problem_set is {problem_set!r}, but nbgrader rejects its notebook: "
            f"{reasons[-1] if reasons else ' '.join(listener.messages)}"
        ) from None
    finally:
        log.removeHandler(listener)
