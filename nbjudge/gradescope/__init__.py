"""Grade on Gradescope: the zip that it takes as an autograder, and what runs in its container.

:mod:`.making` writes the zip, :mod:`.grading` grades one submission there, and :mod:`.results` puts
the result into Gradescope's format.
"""

#: When students see a test, as Gradescope names it.
HIDDEN, AFTER_DUE_DATE, AFTER_PUBLISHED, VISIBLE = (
    "hidden",
    "after_due_date",
    "after_published",
    "visible",
)
VISIBILITIES = (HIDDEN, AFTER_DUE_DATE, AFTER_PUBLISHED, VISIBLE)
