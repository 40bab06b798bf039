"""``python -m coursebook new``: an empty lesson, exercise, claim or figure that passes its tests.

Each is made from the files in ``templates``. What a maintainer has to replace says
:data:`~coursebook.new.changes.MARK`; ``make test-release`` lists what is left of it.
"""
