"""A marker's desk on a graded class: what becomes of marks when the class is graded again."""

import re

import pytest
import small_set

from nbjudge.course import whole_name
from nbjudge.marking.desk import AGAIN, MARKED, NOTHING, OPEN, Conflict
from nbjudge.marking.opening import open_desk, read_requests
from nbjudge.marking.rubric import MarkersChoice

pytestmark = [
    pytest.mark.usefixtures("one_nursery"),
    pytest.mark.thorough("grading of small classes"),
]

CELL = "explain--written"


def give(desk, student, choice, comment=""):
    (question,) = desk.questions.values()
    return desk.save(question, student, choice, comment, desk.answer(question, student).seen)


def text_of(graded, student):
    page = graded.into / "feedback" / student / small_set.NAME / f"{small_set.NAME}.html"
    return " ".join(re.sub(r"<[^>]+>", " ", page.read_text("utf-8")).split())


def test_marks_and_answered_requests_reach_table_and_pages(graded_class, desk):
    give(desk, "ada", MarkersChoice({1: 1, 2: 0.5}, 0.25), "Look at *zero*.")
    (question,) = desk.questions.values()
    assert desk.edit(question, 0, "Units are missing", -0.25) == 0
    give(desk, "ben", MarkersChoice({1: 1, 4: 1}))
    assert desk.ask("ada", "double", "My `double` is right!", "2026-11-27T10:00:00+00:00")
    desk.reply(desk.requests()[0].id, "It is <b>not</b>.")

    report = graded_class.again()
    assert report.executed == [], "no notebook is run"
    ada = report.students["ada"]
    assert (ada.tests[CELL].score, ada.flags) == (1.75, [])
    assert ada.by_hand[CELL].startswith("1.75 by mia (account ")
    assert ",11.75,13," in (graded_class.into / "grades.csv").read_text()
    feedback = text_of(graded_class, "ada")
    assert "Points by item: 1: 1 of 1; 2: 0.5 of 1; 3: 0 of 1; adjustment: 0.25." in feedback
    assert "double, 2026-11-27 My `double` is right!" in feedback
    assert "It is &lt;b&gt;not&lt;/b&gt;." in feedback
    assert "geq" not in feedback, "the mark scheme is the instructors'"
    assert "Units are missing: -0.25." in text_of(graded_class, "ben")
    assert report.students["nil"].tests[CELL].score == 0

    # An answer that comes later makes the page anew, and nothing else does.
    desk.ask("nil", "explain", "I was ill.")
    again = graded_class.again()
    assert again.executed == [] and "Not answered yet." in text_of(graded_class, "nil")
    # A mark from the formgrader is no sum of items.
    with small_set.book_of(graded_class.into) as book:
        book.find_grade(CELL, small_set.NAME, small_set.NAME, "ada").manual_score = 3
        book.db.commit()
    graded_class.again()
    assert "Points by item" not in text_of(graded_class, "ada")
    assert desk.answer(question, "ada").adjustment == 3
    assert desk.edit(question, 1, "Says so.", 0.5) == 1, "Ben's only"
    assert desk.answer(question, "ada").points == 3


def test_an_answer_s_standing_follows_the_work(graded_class, desk):
    (question,) = desk.questions.values()
    standings = {name: answer.standing for name, answer in desk.answers(question).items()}
    assert standings == {"ada": OPEN, "ben": OPEN, "eve": OPEN, "nil": NOTHING}
    give(desk, "ben", MarkersChoice({1: 1}))
    assert desk.answer(question, "ben").standing == MARKED
    before = desk.html(question, "ben")
    path = graded_class.submitted / "ben" / small_set.NAME / f"{small_set.NAME}.ipynb"
    kept = path.read_bytes()
    try:
        changed = small_set.answered(graded_class.course, explain="It is zero or positive.")
        small_set.hand_in(graded_class.submitted, "ben", changed)
        graded_class.again()
    finally:
        path.write_bytes(kept)  # the submissions are shared
    now = desk.answer(question, "ben")
    assert (now.standing, now.points) == (AGAIN, 1)
    assert before != desk.html(question, "ben") == "<p>It is zero or positive.</p>\n"
    desk.edit(question, 1, "Says so.", 0.5)
    assert desk.answer(question, "ben").standing == AGAIN, "nobody has looked"
    assert give(desk, "ben", MarkersChoice({1: 1})).standing == MARKED


def test_two_desks_do_not_overwrite_each_other(graded_class, desk):
    (question,) = desk.questions.values()
    seen = desk.answer(question, "ada").seen
    with open_desk("ps99", graded_class.into, "tom", course=graded_class.course) as other:
        give(other, "ada", MarkersChoice({1: 1}), "Tom's")
    with pytest.raises(Conflict) as caught:
        desk.save(question, "ada", MarkersChoice({2: 1}), "Mia's", seen)
    assert (caught.value.now.comment, caught.value.now.by.partition(" ")[0]) == ("Tom's", "tom")


def test_a_table_of_requests_is_read_once(desk, tmp_path):
    table = tmp_path / "requests.csv"
    table.write_text(
        "student,problem_set,exercise,text\n"
        "ada,ps99,explain,Why?\nada,ps98,explain,Other set\nzoe,ps99,explain,x\n"
        "ada,,sing,x\nada,,explain,\n"
    )
    notes = read_requests(table, desk)
    assert [note.partition(":")[0] for note in notes] == [
        f"requests.csv, line {line}" for line in (4, 5, 6)
    ]
    read_requests(table, desk)
    assert [request.text for request in desk.requests()] == ["Why?"]
    table.write_text("who,what\nada,x\n")
    with pytest.raises(ValueError, match="columns student, exercise and text"):
        read_requests(table, desk)


def test_what_cannot_be_marked_is_said(graded_class, tmp_path):
    with pytest.raises(ValueError, match="was not graded there: run `grade` first"):
        open_desk(small_set.NAME, tmp_path, course=graded_class.course)
    with pytest.raises(ValueError, match="must be one of: ps99-small"):
        open_desk("ps98", graded_class.into, course=graded_class.course)
    assert whole_name("ps1", ["ps01-a", "ps10-b", "ps11-c"]) == "ps1", "two begin so"
    assert whole_name("ps10", ["ps01-a", "ps10-b"]) == "ps10-b"
