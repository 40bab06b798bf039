"""Marking by hand: a page by question, rubrics, regrade requests, and who gave which mark.

:mod:`.record` notes each change of a mark, :mod:`.scheme` reads a mark scheme, :mod:`.rubric` keeps
the items, what was chosen and the requests, :mod:`.desk` joins them with the gradebook, and
:mod:`.server` shows the page.
"""

from nbjudge.marking.record import record_marks

__all__ = ["record_marks"]  # the settings of graded folders import it from here
