"""The file of rubrics: what is kept, what follows the mark scheme, and who has to wait."""

import sqlite3
from contextlib import closing

import pytest

from nbjudge.failure import GradingFailed
from nbjudge.marking.rubric import FILE, MarkersChoice, Rubric, RubricItem, for_feedback, total
from nbjudge.marking.scheme import Scheme, SchemeItem

WHERE = ("ps", "explain--written")


@pytest.fixture
def rubric(tmp_path):
    with Rubric(tmp_path) as opened:
        opened.begin(*WHERE, Scheme("", [SchemeItem("why", 2), SchemeItem("how", 1)]))
        yield opened


def test_a_mark_is_the_sum_of_its_items_within_the_questions_points():
    items = [RubricItem(1, "why", 2), RubricItem(2, "how", 1), RubricItem(3, "units", -0.5)]
    assert total(items, MarkersChoice({1: 1, 2: 0.5, 3: 1}, 0.25), 3) == 2.25
    assert total(items, MarkersChoice({1: 1, 2: 1}, 5), 3) == 3
    assert total(items, MarkersChoice({3: 1}), 3) == 0


def test_an_unused_rubric_follows_a_changed_mark_scheme_and_a_used_one_stays(rubric):
    rubric.put(*WHERE, RubricItem(3, "units", -1, added="ben"))
    assert rubric.begin(*WHERE, Scheme("", [SchemeItem("why not", 3)]))
    assert rubric.items(*WHERE) == [
        RubricItem(1, "why not", 3, "", "why not"),
        RubricItem(2, "units", -1, "ben"),
    ]
    rubric.choose(*WHERE, "ada", MarkersChoice({1: 1}, points=3))
    assert not rubric.begin(*WHERE, Scheme("", [SchemeItem("another", 3)]))
    assert rubric.items(*WHERE)[0].text == "why not"


def test_a_deleted_item_stays_deleted_and_counts_for_nothing(rubric, tmp_path):
    scheme = Scheme("", [SchemeItem("why", 2), SchemeItem("how", 1)])
    rubric.put(*WHERE, RubricItem(2, "how", 1, "", "how", deleted="mia"))
    rubric.put(*WHERE, RubricItem(3, "units", -1, added="ben", deleted="ben"))
    assert rubric.begin(*WHERE, scheme), "it is no disagreement with the mark scheme"
    items = rubric.items(*WHERE)
    assert [item.deleted for item in items] == ["", "mia", "ben"]
    assert total(items, MarkersChoice({1: 1, 2: 1, 3: 1}), 3) == 2
    rubric.choose(*WHERE, "ada", MarkersChoice({1: 1, 2: 1, 3: 1}, points=2))
    rows = for_feedback(tmp_path, "ps", "ps")["ada"]["items"][WHERE[1]]["items"]
    assert [row["name"] for row in rows] == ["1"]


def test_an_added_item_keeps_its_deletion_when_the_mark_scheme_changes(rubric):
    rubric.put(*WHERE, RubricItem(3, "units", -1, added="ben", deleted="mia"))
    assert rubric.begin(*WHERE, Scheme("", [SchemeItem("why not", 3)]))
    assert [item.deleted for item in rubric.items(*WHERE)] == ["", "mia"]


def test_an_item_edited_on_the_page_stays_edited(rubric):
    rubric.put(*WHERE, RubricItem(1, "why, in detail", 1.5, "", "why"))
    assert rubric.begin(*WHERE, Scheme("", [SchemeItem("why", 2), SchemeItem("how", 1)]))
    assert rubric.items(*WHERE)[0].points == 1.5


def test_what_fails_halfway_leaves_nothing(rubric):
    with pytest.raises(ZeroDivisionError), rubric.locked():
        rubric.choose(*WHERE, "ada", MarkersChoice({1: 1}, points=2))
        raise ZeroDivisionError
    assert rubric.choices(*WHERE) == {}


def test_while_one_marker_saves_another_one_waits(rubric, tmp_path):
    other = sqlite3.connect(tmp_path / FILE, timeout=0)
    refused = pytest.raises(sqlite3.OperationalError, match="locked")
    with closing(other), rubric.locked(), refused:
        other.execute("BEGIN IMMEDIATE")


def test_a_learner_is_told_the_points_by_item_and_not_the_mark_scheme(rubric, tmp_path):
    rubric.put(*WHERE, RubricItem(3, "units are missing", -0.5, added="ben"))
    rubric.put(*WHERE, RubricItem(4, "a fine picture", 0.5, added="ben"))
    rubric.choose(*WHERE, "ada", MarkersChoice({1: 0.5, 3: 1}, 1, points=1.5))
    assert rubric.ask("ps", "ada", "explain", "Why?", "ben", "2026-11-28")
    assert not rubric.ask("ps", "ada", "explain", "Why?", "ben", ""), "it is on record already"
    (request,) = rubric.requests("ps")
    rubric.answer(request.id, "Since the units are missing.", "ben")
    feedback = for_feedback(tmp_path, "ps", "ps")["ada"]
    by_item = [
        (row["name"], row["given"], row["most"]) for row in feedback["items"][WHERE[1]]["items"]
    ]
    assert by_item == [
        ("1", 1, 2),
        ("2", 0, 1),
        ("units are missing", -0.5, 0),
        ("adjustment", 1, 0),
    ]
    assert feedback["items"][WHERE[1]]["points"] == 1.5
    assert feedback["requests"][0]["answer"] == "Since the units are missing."
    assert for_feedback(tmp_path / "elsewhere", "ps", "ps") == {}


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / FILE).write_text("no database " * 1000)
    with pytest.raises(GradingFailed, match="marking.db is damaged.*in the gradebook"):
        Rubric(tmp_path)
