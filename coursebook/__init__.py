"""The book: what lessons print and draw with, how they are run and checked, and the website.

Lessons use :func:`~coursebook.quizzes.quiz`, :mod:`~coursebook.live`, :mod:`~coursebook.plots`,
:mod:`~coursebook.claims`, :mod:`~coursebook.records` and :mod:`~coursebook.source`. The rest is
for those who write the course.
"""

from coursebook.quizzes import quiz

__all__ = ["quiz"]
