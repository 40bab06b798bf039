"""Loads what a worker needs, in the process that workers are forked from."""

import signal

from nbjudge.workers import loading

# Ctrl-C is for the process that grades. Workers take this over, also from a process that had to be
# started again.
signal.signal(signal.SIGINT, signal.SIG_IGN)

with loading():
    import distributed  # noqa: F401

    import nbjudge.cluster
    import nbjudge.handling
    import nbjudge.judging.session  # noqa: F401
