"""Slides: a deck for each lesson, made from the lesson itself, that needs no network.

:mod:`coursebook.slides.lesson` chooses what of a lesson goes onto slides, and
:mod:`coursebook.slides.deck` writes them as one HTML file.
"""
