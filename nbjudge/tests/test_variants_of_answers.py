"""Notebooks filled with known answers."""

import pytest
from small_set import answered, cell, release_of

from nbjudge.variants import fill


def test_fill_leaves_the_notebook_as_it_was(small_course):
    release = release_of(small_course)
    filled = fill(release, {"double": "double = abs"})
    assert cell(filled, "double").source == "double = abs"
    assert cell(release, "double").source != "double = abs"
    assert len(filled.cells) == len(answered(small_course).cells)


def test_fill_refuses_what_is_no_answer(small_course):
    with pytest.raises(ValueError, match="'tripled'.*answer cells are: double, sum-squares"):
        fill(release_of(small_course), {"tripled": ""})
