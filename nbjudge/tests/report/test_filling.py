"""Canvas's gradebook and Moodle's worksheet, filled in: only the marks change.

The tables have the columns and rows of the platforms' own programs, with invented people:
Canvas's ``lib/gradebook_exporter.rb`` and the example in ``spec/fixtures/gradebooks``, Moodle's
``mod/assign/feedback/offline/importgradeslib.php`` and ``locallib.php``. The order of Moodle's
columns and their quotes are those that programs for its worksheets expect.
"""

import csv
import io

import pytest

from nbjudge.collect.tables import read_gradebook
from nbjudge.report import filling
from nbjudge.store.results import Report, StudentResult, TestResult

NAME = "ps05-self-attention"

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,PS05 Self-attention (4711),Quiz (4712),\
Homework Current Score,Final Score
,,,,,Manual Posting,,,
    Points Possible,,,,,7.00,10.00,(read only),(read only)
"Lovelace, Ada",17,S17,ada,A,,8.00,80.00,80.00
"Müller, ""Ben"" Ægir",18,S18,ben,"A and B",3.00,,,
"王, 伟",19,S19,wei,B,EX,,,
"Off, Cut",20,S20,cut,B,N/A,,,
"Student, Test",21,,7f2b,A,,,,
"""

MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 17","Lovelace, Ada",ada@example.org,"Submitted for grading - - ",,7.00,Yes,\
"Wednesday, 25 November 2026, 10:03 PM",-,"<p>Well
done, ""Ada""</p>"
"Participant 18","Ben Müller",ben@example.org,"Submitted for grading - - ",3.00,7.00,Yes,-,-,
"Participant 19","王 伟",wei@example.org,"No submission - - ",,7.00,No,-,-,
"""


def people(column, **numbers):
    return {name: {"student": name, column: number} for name, number in numbers.items()}


CLASS = people("ID", ada="17", ben="18", wei="19", cut="20")
MOODLES = people("Identifier", ada="Participant 17", ben="Participant 18", wei="Participant 19")


def report(*names, points=7.0):
    tests = {"a--x": TestResult(5.5, points)}
    return Report(NAME, {name: StudentResult(tests) for name in names})


def filled(kind, text, tmp_path, *names, known=None, column="", points=7.0, encoding="utf-8"):
    path = tmp_path / "theirs.csv"
    path.write_bytes(text.encode(encoding))
    known = (CLASS if kind == "canvas" else MOODLES) if known is None else known
    made = filling.fill(kind, path, report(*names, points=points), known, tmp_path, column=column)
    return made, made.path.read_bytes().decode(encoding)


def cells(text, sign=","):
    return [*csv.reader(io.StringIO(text, newline=""), delimiter=sign)]


def differing(before, after, sign=","):
    """What differs, by row and column; the rest is the same byte for byte."""
    old, new = cells(before, sign), cells(after, sign)
    assert [len(row) for row in old] == [len(row) for row in new]
    return {
        (y, x): new[y][x]
        for y, row in enumerate(old)
        for x, value in enumerate(row)
        if value != new[y][x]
    }


def test_canvas_gets_marks_by_id_and_keeps_the_rest(tmp_path):
    made, text = filled("canvas", CANVAS, tmp_path, "ada", "ben", "wei", "cut")
    assert differing(CANVAS, text) == {(3, 5): "5.5", (4, 5): "5.5"}
    assert text == CANVAS.replace("ada,A,,8", "ada,A,5.5,8").replace('B",3.00', 'B",5.5')
    assert made.students == ["ada", "ben"]
    assert made.remarks == [
        "Left as they are in Canvas's table (excused, or not assigned): wei, cut."
    ]
    # And back: collecting reads the same people from what was filled in.
    assert read_gradebook("canvas", made.path).keys() == {"17", "18", "19", "20", "21"}


def test_moodle_gets_marks_by_identifier_and_keeps_the_rest(tmp_path):
    made, text = filled("moodle", MOODLE, tmp_path, "ada", "ben", "wei")
    assert differing(MOODLE, text) == {(1, 4): "5.5", (2, 4): "5.5"}
    assert text == MOODLE.replace('- - ",,7.00,Yes', '- - ",5.5,7.00,Yes').replace(
        "3.00,7", "5.5,7"
    )
    assert made.remarks == [
        "Left as they are in Moodle's table (the grade cannot be changed): wei."
    ]
    before = read_gradebook("moodle", tmp_path / "theirs.csv")
    assert read_gradebook("moodle", made.path) == before


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_marks_and_line_ends_stay(tmp_path, start, end, last):
    text = start + CANVAS.replace("\n", end)
    text = text if last else text.removesuffix(end)
    _, after = filled("canvas", text, tmp_path, "ada", known=people("ID", ada="17"))
    assert after == text.replace("ada,A,,8", "ada,A,5.5,8")


def test_semicolons(tmp_path):
    text = "\n".join(";".join(f'"{cell}"' for cell in row) for row in cells(CANVAS)[:4])
    _, after = filled("canvas", text, tmp_path, "ada", known=people("ID", ada="17"))
    assert after == text.replace('"ada";"A";""', '"ada";"A";5.5')


def test_last_and_first_names_in_columns_of_their_own(tmp_path):
    text = "LastName,FirstName,ID,SIS Login ID,Section,PS05 Self-attention (1)\nLove,Ada,17,a,A,\n"
    _, after = filled("canvas", text, tmp_path, "ada", known=people("ID", ada="17"))
    assert after.endswith("Love,Ada,17,a,A,5.5\n")


def test_who_has_no_number_is_found_by_another_id(tmp_path):
    roster = {"ada": {"SIS User ID": "S17"}, "ben": {}, "weiwang": {}}
    made, text = filled("canvas", CANVAS, tmp_path, *roster, known=roster)
    assert differing(CANVAS, text) == {(3, 5): "5.5", (4, 5): "5.5"}
    assert made.remarks == ["Canvas's table has no row for: weiwang."]


def test_a_wrong_number_is_not_replaced_by_a_right_name(tmp_path):
    made, text = filled(
        "canvas", CANVAS, tmp_path, "ada", "ben", known=people("ID", ada="17", ben="9")
    )
    assert (made.students, made.remarks) == (["ada"], ["Canvas's table has no row for: ben."])


@pytest.mark.parametrize(("kind", "text"), [("canvas", CANVAS), ("moodle", MOODLE)])
def test_other_points_there_are_said(tmp_path, kind, text):
    made, _ = filled(kind, text, tmp_path, "ada", points=30.0)
    assert f"{kind.capitalize()} counts 7.00 points for this assignment, the problem set 30" in str(
        made.remarks
    )


@pytest.mark.parametrize("column", ["4712", "Quiz", "Quiz (4712)"])
def test_an_assignment_of_another_name_is_named(tmp_path, column):
    _, text = filled("canvas", CANVAS, tmp_path, "ada", column=column)
    assert differing(CANVAS, text) == {(3, 6): "5.5"}


TWICE = CANVAS.replace("Quiz (4712)", "ps05 self attention (4712)")


@pytest.mark.parametrize(
    ("kind", "text", "column", "message"),
    [
        ("canvas", TWICE, "", r"several columns for 'ps05-self-attention'.*--column.*4711.*4712"),
        ("canvas", CANVAS.replace("PS05 ", ""), "", r"no column for.*'Self-attention \(4711\)'"),
        ("canvas", CANVAS, "99", r"no column for '99'"),
        (
            "canvas",
            CANVAS.replace(",ID,", ",Number,"),
            "",
            r"no column ID: it must be the gradebook",
        ),
        ("canvas", CANVAS.replace("7.00", "(read only)"), "", r"'PS05.*' is read only"),
        ("canvas", CANVAS.replace(",18,", ",17,"), "", r"two rows with the ID 17"),
        ("canvas", CANVAS.replace(",ID,", ",ID,ID,"), "", r"several columns called 'ID'"),
        ("canvas", CANVAS.replace(",17,", ",71,"), "", r"no learner with a mark: not for ada"),
        ("canvas", CANVAS + 'a"b,1\n"c', "", r"is not a CSV table"),
        ("canvas", "", "", r"no column ID"),
        ("moodle", CANVAS, "", r"no column Identifier: it must be the grading worksheet"),
        ("moodle", MOODLE.replace("Status,Grade", "Status,Mark"), "", r"no column called 'Grade'"),
        (
            "moodle",
            MOODLE.replace("(grade)", ""),
            "",
            r"no column called 'Last modified \(grade\)'",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, kind, text, column, message):
    with pytest.raises(ValueError, match=message):
        filled(kind, text, tmp_path, "ada", column=column)
    assert not list(tmp_path.glob(f"{NAME}*")), "nothing was written"


def test_a_table_in_another_encoding_is_refused(tmp_path):
    with pytest.raises(ValueError, match="saved as UTF-8"):
        filled("canvas", CANVAS.replace("王, 伟", "ü"), tmp_path, "ada", encoding="latin-1")
