"""A maintainer adds a wrong answer by adding one entry to one file: nothing else is touched."""

import shutil

import nbformat
import pytest
from whole_class import COURSE, SANDBOXED, SEED, hand_in, variants
from wrongly import check_wrong, lost_of_exercise

from nbjudge.intake.release import is_current, make_release
from nbjudge.run.engine import grade

pytestmark = pytest.mark.thorough("grading of small classes")

SET = "ps05-self-attention"

ENTRY = """

@wrong("cube-root", says="You divide by the cube root of d_k.", spares=["factor"])
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / Q.shape[-1] ** (1 / 3)


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / (sigma_q * sigma_k * math.sqrt(d_k))
"""

#: What a wrong answer to another exercise returns, here and as another processor rounds it.
OF_ANOTHER, NUDGED = "55.9999962", "55.9999924"


def test_one_entry_in_one_file_is_told_to_learners_and_makes_a_test_of_the_grader(tmp_path):
    course, submitted = tmp_path / "course", tmp_path / "submitted"
    wrong_results = course / "nbjudge_tfcourse" / "wrong_results"
    wrong_results.mkdir(parents=True)
    shutil.copytree(COURSE / "solutions" / SET, course / "solutions" / SET)
    for name in ("_toc.yml", "nbgrader_config.py"):
        shutil.copy(COURSE / name, course / name)
    make_release(SET, course)
    (path,) = wrong_results.iterdir()
    table = path.read_text("utf-8")
    assert table.index(OF_ANOTHER) < table.index('"scaling--')
    path.write_text(table.replace(OF_ANOTHER, NUDGED, 1), "utf-8")
    before = variants(SET, course)
    with (course / "solutions" / SET / "scaling.py").open("a", encoding="utf-8") as file:
        file.write(ENTRY)
    assert not is_current(SET, course)
    make_release(SET, course)
    assert is_current(SET, course)
    table = path.read_text("utf-8")
    assert "cube root" in table
    assert NUDGED in table, "what another exercise's answers return has changed by rounding alone"

    [(student, added)] = [row for row in variants(SET, course) if row not in before]
    assert (added.exercise, added.name) == ("scaling", "wrong-cube-root")
    hand_in(SET, course, submitted)
    for other in submitted.iterdir():
        if other.name != student:
            shutil.rmtree(other)
    path = submitted / student / SET / f"{SET}.ipynb"
    assert added.source in {cell.source for cell in nbformat.read(path, as_version=4).cells}
    report = grade(
        *(SET, submitted, tmp_path / "graded"),
        course=course, seed=SEED, workers=1, sandboxed=SANDBOXED,
    )  # fmt: skip
    check_wrong(lost_of_exercise(report.students[student], added.exercise), added)
    assert report.students[student].tests["scaling--values"].message == added.says
