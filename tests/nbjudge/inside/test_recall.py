"""Results of known wrong answers: recorded by the checks, kept in a table, found again."""

import gzip
import math

import pytest
import torch

from nbjudge.inside import wire
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.checks import deciding
from nbjudge.inside.testing.recall import Result, Table, alike, pack, recording, unpack
from nbjudge.testing import Mistake, close, equal

ONES = torch.ones(2, 3)


def test_checks_record_and_judge_nothing_meanwhile():
    with recording() as results:
        close(ONES * 2, ONES, "Values")
        close((ONES, ONES.mT), (ONES, ONES), ["The gradient of x", "Of y"])
        equal([1, 2], [2, 1], "Order")
        close("no tensor", ONES, "Text")
    assert [result.names for result in results] == [
        ("Values",),
        ("The gradient of x", "The gradient of y"),
        ("Order",),
        ("Text",),
    ]
    assert results[2] == Result(("Order",), ([2, 1],), ([1, 2],), right=False)
    with pytest.raises(Mistake, match="Values: wrong in 6"):
        close(ONES * 2, ONES, "Values")


def results(check):
    with recording() as found:
        check()
    return found


@pytest.fixture
def table():
    made = Table()
    made.add("Doubled.", results(lambda: close(ONES * 2, ONES, "Values")))
    made.add("Turned.", results(lambda: close(ONES.mT, ONES, "Values")))
    made.add("Reversed.", results(lambda: equal([1, 2], [2, 1], "Order")))
    made.add("One too many.", results(lambda: close([3.0], [2.0], "Written out")))
    made.add("Right.", results(lambda: close(ONES, ONES, "Values")))
    return made


def test_it_is_found_by_the_checks_name_and_expected_value(table):
    assert set(table.recall(["Values"], (ONES,), (ONES,))) == {"Doubled.", "Turned.", "Right."}
    assert table.recall(["Values"], (ONES * 3,), (ONES,)) == {}
    assert table.recall(["Value"], (ONES,), (ONES,)) == {}
    (found,) = table.recall(["Values"], (ONES + 1e-7,), (ONES,))["Doubled."]
    assert torch.equal(found, ONES * 2)


def test_of_several_answers_with_one_message_the_one_that_agrees_counts(table):
    table.add("Doubled.", results(lambda: close(ONES * 2.5, ONES, "Values")))
    table.add("Doubled.", results(lambda: close(ONES * (2 + 1e-6), ONES, "Values")))
    for number in 2.0, 2.5, 2 + 1e-6:
        found = table.recall(["Values"], (ONES,), (ONES * number,))["Doubled."]
        assert torch.equal(found[0], ONES * number)


def test_it_is_the_same_after_a_file(table):
    packed = pack({"a--values": table, "b--values": Table()})
    again = unpack(packed)
    assert again == {"a--values": table, "b--values": Table()} and pack(again) == packed
    assert again["a--values"].recall(["Order"], ([2, 1],), ([],)) == {"Reversed.": ([1, 2],)}


@pytest.mark.parametrize(
    "packed", [b"", b"text", gzip.compress(wire.dumps([1, 2])), gzip.compress(b"")[:-1]]
)
def test_a_file_that_is_no_table_costs_only_its_messages(packed, table, stored, tmp_path):
    with pytest.raises(wire.WireError):
        unpack(packed)
    (tmp_path / "old.told").write_bytes(packed)
    stored(a=table)
    with pytest.raises(Mistake, match=r"^Doubled\.$"):
        close(ONES * 2, ONES, "Values")


def test_two_tables_differ_by_a_message_or_by_more_than_rounding(table):
    for says, factor in ("Doubled.", 2 + 1e-6), ("Doubled.", 2.01), ("Twice.", 2.0):
        one, other = Table(), Table()
        one.add("Doubled.", results(lambda: close(ONES * 2, ONES, "Values")))
        other.add(says, results(lambda f=factor: close(ONES * f, ONES, "Values")))
        assert (one == other) == (says == "Doubled." and factor < 2.001)
    assert table != Table() and Table() == Table()
    assert table and not Table()


def test_what_the_check_takes_for_wrong_is_kept_however_small():
    table = Table()
    table.add("Zero.", results(lambda: close(0.0, 1.7e-7, "The rate")))
    tiny = torch.tensor([1.7e-7], dtype=torch.float64)
    table.add("Zero.", results(lambda: close(0 * tiny, tiny, "The rates")))
    small = table.without_right()
    assert small.recall(["The rates"], (tiny,), (0 * tiny,))
    assert small.recall(["The rate"], (1.7e-7,), (torch.tensor(0.0).double(),))


def test_a_file_holds_no_right_results_and_no_large_ones(table):
    table.add("Large.", results(lambda: close(torch.zeros(99, 99), torch.ones(99, 99), "Large")))
    table.add("Right.", results(lambda: close(torch.tensor([2.0]), [2.0], "Written out")))
    small = table.without_right()
    assert set(small.recall(["Values"], (ONES,), (ONES,))) == {"Doubled.", "Turned."}
    assert set(small.recall(["Written out"], ([2.0],), (ONES,))) == {"One too many."}
    assert small.recall(["Large"], (torch.ones(99, 99),), (ONES,)) == {}


@pytest.mark.parametrize(
    "packed",
    [b"", b"\0" * 5, b"\0\0\0\1" + b"\0" * 8, wire.dumps([1]) + b"1", wire.dumps([1])[:-1]],
)
def test_bytes_that_are_no_message_are_refused(packed):
    with pytest.raises(wire.WireError):
        wire.undumps(packed)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (math.nan, math.nan, True),
        (math.inf, math.inf, True),
        (1.0, 1 + 1e-9, True),
        (1.0, 1.1, False),
        (1, 1.0, False),
        (True, 1, False),
        ([1.0, "a"], [1.0, "a"], True),
        ({"a": 1}, {"a": 2}, False),
        ((1, 2), (1, 2, 3), False),
        (torch.tensor([math.nan]), torch.tensor([math.nan]), True),
        (torch.tensor([1]), torch.tensor([1.0]), False),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
        (torch.tensor([1.0]), torch.tensor([[1.0]]), False),
        (torch.tensor([1.0]), [1.0], False),
        (torch.tensor([1e-8]), torch.tensor([2e-8]), False),
        (torch.tensor([1e-8, 1.0]), torch.tensor([2e-8, 1.0]), True),
        (1e-9, 2e-9, False),
        (torch.tensor([1.0]).numpy(), torch.tensor([1.0]).numpy(), True),
        (torch.tensor([1.0]).numpy(), torch.tensor([2.0]).numpy(), False),
    ],
)
def test_alike(one, other, same):
    assert alike(one, other) is same


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A function that stores tables by test, as a release does; the first test is running."""

    def store(**tables):
        recall.stored.cache_clear()
        for name, table in tables.items():
            (tmp_path / f"{name}.told").write_bytes(pack({f"{name}--values": table}))
        recall.runs(f"{next(iter(tables))}--values")

    monkeypatch.setattr(recall, "stored_folder", lambda: tmp_path)
    yield store
    recall.stored.cache_clear()
    recall.runs("")


def test_a_learners_result_is_named_by_what_the_release_stored(table, stored):
    other = Table()
    other.add("Of another test.", results(lambda: close(ONES * 3, ONES, "Values")))
    stored(a=table.without_right(), b=other)
    with pytest.raises(Mistake, match=r"^Doubled\.$"):
        close(ONES * 2, ONES, "Values")
    with pytest.raises(Mistake, match=r"^Reversed\.$"):
        equal([1, 2], [2, 1], "Order")
    with pytest.raises(Mistake, match="^Values: wrong in 6"):
        close(ONES * 3, ONES, "Values")
    recall.runs("")
    with pytest.raises(Mistake, match="^Values: wrong in 6"):
        close(ONES * 2, ONES, "Values")


def test_an_answer_that_fails_what_was_passed_is_not_named():
    table = Table()
    for says, first in ("A.", 1.0), ("B.", 5.0), ("C.", 1.0 + 1e-7):
        wrong = results(lambda: close(ONES * 2, ONES, "Then"))
        table.add(
            says, [*results(lambda f=first: close(f * ONES, [[1.0] * 3] * 2, "First")), *wrong]
        )
    both = "^Each of these mistakes gives the same numbers here:\n- A.\n- C.$"
    with pytest.raises(Mistake, match=both), deciding(lambda passed, suspects: [table]):
        close(ONES, [[1.0] * 3] * 2, "First")
        close(ONES * 2, ONES, "Then")
    with pytest.raises(Mistake, match=r"^B\.$"), deciding(lambda passed, suspects: [table]):
        close(ONES * 5, [[1.0] * 3] * 2, "First")


def test_what_a_file_leaves_out_is_right():
    """Of several suspects, one that is right where the learner's result is wrong is none."""
    table = Table()
    for says, second in ("A.", 1.0), ("B.", 7.0):
        first = results(lambda: close(ONES * 2, ONES, "First"))
        table.add(says, [*first, *results(lambda s=second: close(ONES * s, ONES, "Second"))])
    with pytest.raises(Mistake, match=r"^B\.$"), deciding(lambda *_: [table.without_right()]):
        close(ONES * 2, ONES, "First")
        close(ONES * 7, ONES, "Second")
    with pytest.raises(Mistake, match=r"^A\.$"), deciding(lambda *_: [table.without_right()]):
        close(ONES * 2, ONES, "First")
        close(ONES, ONES, "Second")


def test_more_answers_than_can_be_named_are_not(stored):
    table = Table()
    for letter in "ABCDE":
        table.add(f"{letter}.", results(lambda: close(ONES * 2, ONES, "Values")))
        stored(a=table)
        with pytest.raises(Mistake) as caught:
            close(ONES * 2, ONES, "Values")
        if letter == "D":
            assert str(caught.value).count("\n- ") == 4
    assert str(caught.value).startswith("Values: wrong in 6 of 6 places")
