"""The notebook of another problem set is recognised by the names of its cells."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from nbjudge.course import problem_set_names
from nbjudge.files import read_file
from nbjudge.intake import find
from nbjudge.intake.other_set import names_elsewhere, other_set
from nbjudge.intake.sources import release_folder


def notebook(*names):
    answers = [new_code_cell("x = 1", metadata={"nbgrader": {"grade_id": name}}) for name in names]
    return [*answers, new_code_cell("a cell of their own")]


OWN = notebook("setup", "choices", "scaling", "scaling--values", "mask", "mask--values")
OTHERS = {
    "ps04": ["setup", "choices", "score", "score--values"],
    "ps05": ["setup", "choices", "mask", "mask--values", "heads", "heads--values"],
}


@pytest.mark.parametrize(
    ("handed", "other"),
    [
        (notebook("setup", "choices", "score", "score--values"), "ps04"),
        (notebook("score", "score--values"), "ps04"),
        (OWN, ""),
        (notebook(), ""),
        (notebook("setup", "choices"), ""),
        (notebook("setup", "scaling", "scaling--values"), ""),
        # Both in one notebook: this one is there.
        (OWN + notebook("score", "score--values"), ""),
        # Too few of any.
        (notebook("score"), ""),
        (notebook("from-elsewhere"), ""),
    ],
)
def test_a_notebook_is_anothers_by_its_names(handed, other):
    assert other_set(handed, OWN, OTHERS) == other


def test_a_set_that_shares_most_names_is_not_another():
    """A second attempt at an exam, say."""
    names = ["setup", "choices", "scaling", "scaling--values"]
    assert other_set(notebook(*names), notebook(*names), {"again": [*names, "more"]}) == ""


def test_the_courses_own_sets_are_told_apart(course):
    """Each, handed in for any other one; and none for itself."""
    released = {}
    for name in problem_set_names(course):
        path = release_folder(name, course) / f"{name}.ipynb"
        released[name] = find.parse(read_file(path)[0]).cells
    assert len(released) > 10
    every = names_elsewhere(course, "")
    assert every.keys() == released.keys()
    for name, own in released.items():
        others = {other: names for other, names in every.items() if other != name}
        for other, handed in released.items():
            assert other_set(handed, own, others) == ("" if other == name else other)


def test_what_cannot_be_read_is_left_out(tmp_path):
    (tmp_path / "nbgrader_config.py").touch()
    for name, text in (("ps1", nbformat.writes(nbformat.v4.new_notebook(cells=OWN))), ("ps2", "{")):
        (tmp_path / "source" / name).mkdir(parents=True)
        (tmp_path / "source" / name / f"{name}.ipynb").write_text(text)
    assert names_elsewhere(tmp_path, "ps3").keys() == {"ps1"}
    assert names_elsewhere(tmp_path, "ps1") == {}
