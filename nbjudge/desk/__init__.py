"""Run a learner's notebook on the learner's own machine: in one plain process, on any system.

:class:`nbjudge.desk.run.Desk` starts the process and enforces its time limits; the process runs
:mod:`nbjudge.desk.worker`. The test cells use the learner's work through the same verbs as in
grading, with a function call in place of the wire. Nothing here protects the computer from the
code: that is what the sandbox is for, and it needs Linux.
"""

#: Exit code of a process that could not be interrupted.
STUCK = 86
