"""A learner's notebook run at the learner's own desk: in one plain process, on any system.

:func:`nbjudge.desk.run.run` starts the process and keeps its time; what happens in it is
:mod:`nbjudge.desk.worker`. The test cells speak to the learner's work through the same
verbs as in grading, with a function call in place of the wire. Nothing here protects the computer
from the code: that is what the sandbox is for, and it needs Linux.
"""

#: The exit code of a process that could not be interrupted.
STUCK = 86
