"""Imports what a worker needs, in the process that workers are forked from."""

import signal

from nbjudge.run.workers import loading

# Ctrl-C is for the grading process. Workers inherit this, even from a restarted server process.
signal.signal(signal.SIGINT, signal.SIG_IGN)

with loading():
    import nbjudge.intake.steps
    import nbjudge.judge.session  # noqa: F401
    import nbjudge.run.pool  # noqa: F401
    from nbjudge.judge import likeness

    likeness.warm()
