"""Imports what a worker needs, in the process that workers are forked from."""

# ruff: noqa: E402

import gc
import signal

# Ctrl-C is for the grading process: it is ignored before anything is loaded. Workers inherit this,
# even from a restarted server process.
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

import nbjudge.intake.steps
import nbjudge.judge.session  # noqa: F401
import nbjudge.run.pool  # noqa: F401
from nbjudge.judge import likeness

likeness.warm()
gc.freeze()  # what is loaded stays: a collection in a worker would copy its memory
