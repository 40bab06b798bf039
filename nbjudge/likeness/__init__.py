"""Compare the answers of a class: which resemble each other more than chance?

Answers are read as text; nothing is run, and no mark depends on what is found.
"""
