"""The page of feedback: it says what the tests said, shows no hidden test and runs no script."""

import re

import pytest
from small_set import NAME, answered, grade, hand_in

from nbjudge.report.feedback import feedback
from nbjudge.store.results import StudentResult, TestResult

pytestmark = pytest.mark.thorough("grading of small classes")


def page(graded, student):
    path = graded.into / "feedback" / student / NAME / f"{NAME}.html"
    return path.read_text(encoding="utf-8")


def test_everybody_has_a_page(graded):
    for student in graded.report.students:
        text = page(graded, student)
        waits = graded.report.students[student].waiting
        assert waits in (0, 3), student
        heading = "of 10 points so far, 3 more await marking</h1>" if waits else "of 13 points</h1>"
        assert heading in text, student


def test_it_says_score_message_and_flag(graded):
    text = page(graded, "wrong")
    assert f"{NAME}: 1 of 10 points so far, 3 more await marking" in text
    assert "double(3) should be 6, but it is 9" in text
    assert '<td>– of 3</td><td class="says">awaits manual marking' in text
    assert "return</span>" in text and "double" in text, "the learner's own code"


@pytest.mark.parametrize(
    ("score", "sign"), [(None, "…"), (0.0, "✗"), (0.5, "◐"), (6.5, "◐"), (7.0, "✓")]
)
def test_a_sign_tells_all_some_none_and_not_known(score, sign):
    result = StudentResult({"choices--answers": TestResult(score, 7.0)})
    assert f"<td>{sign} answers" in feedback(NAME, result, None, [])


#: Words of the grader's that a learner has no use for.
OURS = ("ours was run", "locked cell", "they added", "ran out of time in", "no answer counts")


def test_a_learner_is_told_of_their_notebook_in_a_learners_words(graded):
    for name, student in graded.report.students.items():
        assert not set(student.told) & set(student.flags), name
        head = page(graded, name).partition("<table")[0]
        assert f"<p>{name} · " in head or name.startswith("[odd]")
        assert not any(words in head for words in OURS), name
    assert graded.report.students["stubborn"].told == [
        "Time ran out in `double--values`, `double--hidden`. Is there a loop that never ends?"
    ]
    assert any("The kernel died in `sum-squares" in s for s in graded.report.students["dies"].told)


def test_what_was_not_written_is_said(graded):
    empty = '<td>0 of 3</td><td class="says">Nothing was written.</td>'
    assert empty in page(graded, "empty")
    for student in "wrong", "right", "absent":
        assert "Nothing was written" not in page(graded, student)


def test_no_page_shows_what_is_hidden(graded):
    for student in graded.report.students:
        text = re.sub(r"<[^>]+>", "", page(graded, student))
        for secret in ("secret_number", "169", "the instructor's way", "MARK SCHEME", "BEGIN"):
            assert secret not in text, f"{student}: {secret}"
    assert "hidden test: its source is not shown" in page(graded, "right")


def test_a_traceback_shows_the_learners_lines_only(one_nursery, small_course, tmp_path):
    wrong = "def sum_squares(numbers):\n    if len(numbers) == 3:\n        numbers.none_such\n"
    wrong += "    return sum(n * n for n in numbers)"
    hand_in(tmp_path / "in", "one", answered(small_course, sum_squares=wrong))
    report = grade(tmp_path / "in", tmp_path / "out", small_course)
    test = report.students["one"].tests["sum-squares--values"]
    assert test.score == 0
    # What the error itself says could hold numbers of the hidden test.
    assert "AttributeError in a hidden test" in test.message
    assert "object has no attribute" not in test.message
    path = tmp_path / "out" / "feedback" / "one" / NAME / f"{NAME}.html"
    text = re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8"))
    assert text.count("none_such") >= 2, "in the answer and in what is said of it"
    assert "[3, 4, 12]" not in text


@pytest.mark.parametrize("student", ["scripts", "wrong"])
def test_nothing_on_it_can_run(graded, student):
    text = page(graded, student)
    shown_as_text = re.sub(r"<span[^>]*>[^<]*</span>", "", text)
    for harm in ("<script", "<svg", "onerror=", "onload=", 'href="javascript', "<iframe"):
        assert harm not in re.sub(r"&lt;.*?&gt;", "", shown_as_text), harm
    assert "default-src 'none'" in text, "and a browser would run none"
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", text), "and fetch nothing"


def test_the_gradebooks_copy_carries_no_script_in_outputs(graded):
    path = graded.into / "autograded" / "scripts" / NAME / f"{NAME}.ipynb"
    import nbformat

    for cell in nbformat.read(path, as_version=4).cells:
        for out in cell.get("outputs", []):
            assert set(out.get("data", {})) <= {"text/plain", "image/png", "image/jpeg"}
