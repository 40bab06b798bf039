"""Collect a class's work from Canvas, Moodle, a folder or nbgrader's exchange.

:mod:`.naming` knows how the platforms name files, :mod:`.archives` reads what learners packed,
:mod:`.tables` keeps the roster and the receipts, and :mod:`.collecting` puts it all in place.
"""
