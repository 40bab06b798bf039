"""Wrong formulas that learners are known to use, by what they are about: a module for each.

A test hands them to :func:`nbjudge.testing.close`, which recognises their numbers and
says the message of the one that came back. The module is named after the problem set's chapter.
"""
