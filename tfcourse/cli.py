"""The command `tfcourse`. Each command lives beside what it does; this file only collects them."""

from __future__ import annotations

import os
import signal
import sys

#: Whether this is the program, and not a test that imports it.
_RUNS = os.path.basename(sys.argv[0]) == "tfcourse"
if _RUNS:  # while the rest is loaded, Ctrl-C ends it and no traceback is shown
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import typer  # noqa: E402

app = typer.Typer(
    name="tfcourse",
    help="Attention to Transformers: train models, grade, check and build the course.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _collect() -> None:
    from tfcourse.authoring import commands as authoring
    from tfcourse.data import commands as data
    from tfcourse.grading import commands as grading
    from tfcourse.runs import commands as runs

    runs.register(app)
    data.register(app)
    grading.register(app)
    authoring.register(app)


_collect()
if _RUNS:
    signal.signal(signal.SIGINT, signal.default_int_handler)
