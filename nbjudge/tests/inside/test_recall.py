"""Results of known wrong answers: recorded by the checks, kept in a table, found again."""

import math

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from nbjudge.inside import wire
from nbjudge.inside.testing import recall
from nbjudge.inside.testing.checks import deciding
from nbjudge.inside.testing.passing import speak
from nbjudge.inside.testing.recall import (
    Check,
    CheckResult,
    Table,
    WrongAnswer,
    alike,
    pack,
    recording,
    unpack,
)
from nbjudge.testing import Mistake, call, close, equal

ONES = torch.ones(2, 3)
VALUES, ORDER = Check(("Values",), 1), Check(("Order",), 1)


def results(*checks):
    """What the checks of a test cell record."""
    with recording() as recorded:
        for check in checks:
            check()
    return recorded


def values(factor, expected=ONES, name="Values"):
    return lambda: close(factor * ONES, expected, name)


def table_of(**answers):
    """A table of wrong answers, each with its checks."""
    table = Table()
    for says, checks in answers.items():
        table.add(WrongAnswer(f"{says}.", 1), results(*checks))
    return table


def message_at(check, *earlier, table):
    """What a learner is told at a check, after earlier ones of the same test."""
    with pytest.raises(Mistake) as caught, deciding(lambda passed, suspects: [table]):
        for one in (*earlier, check):
            one()
    return str(caught.value)


def both(*says):
    return "\n- ".join(["Each of these mistakes gives the same numbers here:", *says])


def test_checks_record_and_judge_nothing_meanwhile():
    with recording() as recorded:
        close(ONES * 2, ONES, "Values")
        close((ONES, ONES.mT), (ONES, ONES), ["The gradient of x", "Of y"])
        equal([1, 2], [2, 1], "Order")
        close("no tensor", ONES, "Text")
        close(ONES, ONES, "Values")
    assert [(result.check.names, result.check.number, result.right) for result in recorded] == [
        (("Values",), 1, False),
        (("The gradient of x", "The gradient of y"), 1, False),
        (("Order",), 1, False),
        (("Text",), 1, False),
        (("Values",), 2, True),
    ]
    assert recorded[2] == CheckResult(ORDER, ([2, 1],), ([1, 2],), right=False)
    with pytest.raises(Mistake, match="Values: wrong in 6"):
        close(ONES * 2, ONES, "Values")


def test_what_is_recorded_stays_as_it_was():
    x = ONES.clone()
    with recording() as (recorded):
        close(x, x, "Values")
        x += 1
    assert torch.equal(recorded[0].actual[0], ONES) and torch.equal(recorded[0].expected[0], ONES)


def test_a_result_is_found_by_its_check_and_what_was_expected():
    table = table_of(
        Doubled=[values(2.0)], Turned=[lambda: close(ONES.mT, ONES, "Values")], Right=[values(1.0)]
    )
    recalled = table.recall(VALUES, (ONES + 1e-7,))
    assert {answer.says for answer in recalled} == {"Doubled.", "Turned.", "Right."}
    assert torch.equal(recalled[WrongAnswer("Doubled.", 1)][0], ONES * 2)
    assert table.recall(VALUES, (ONES * 3,)) == {}
    assert table.recall(ORDER, (ONES,)) == {}
    assert table.recall(Check(("Values",), 2), (ONES,)) == {}
    failing = {WrongAnswer("Doubled.", 1), WrongAnswer("Turned.", 1)}
    assert table.failing([VALUES, ORDER]) == table.losing() == failing
    assert table.only(failing).losing() == failing and not table.only([])


def test_checks_of_one_name_and_value_are_told_apart():
    table = table_of(First=[values(2.0), values(1.0)], Second=[values(1.0), values(2.0)])
    assert message_at(values(2.0), table=table) == "First."
    assert message_at(values(2.0), values(1.0), table=table) == "Second."


def test_several_answers_may_have_one_message():
    table = Table()
    for number, factor in enumerate((2.0, 2.5, 2 + 1e-6), start=1):
        table.add(
            WrongAnswer("Grows.", number), results(values(factor), values(factor, name="Then"))
        )
    table.add(WrongAnswer("Other.", 1), results(values(2.5), values(9.0, name="Then")))
    for factor in 2.0, 2.5, 2 + 1e-6:
        assert message_at(values(factor, name="Then"), values(factor), table=table).startswith(
            "Grows."
        )
    assert message_at(values(2.5), table=table) == both("Grows.", "Other.")
    message_at_once = message_at(values(2.0), table=table)
    assert message_at_once == "Grows."


@pytest.fixture
def table():
    return table_of(
        Doubled=[values(2.0), lambda: equal([1, 2], [1, 2], "Order")],
        Turned=[lambda: close(ONES.mT, ONES, "Values")],
        Reversed=[values(1.0), lambda: equal([1, 2], [2, 1], "Order")],
    )


def test_it_is_the_same_after_a_file(table):
    tables = {"a--values": table.for_file(), "b--values": Table()}
    packed = pack(tables)
    again = unpack(packed)
    assert again == tables and pack(again) == packed
    # Of what was right the file knows no more than that.
    assert again["a--values"].recall(ORDER, ([2, 1],)) == {
        WrongAnswer("Doubled.", 1): ([2, 1],),
        WrongAnswer("Reversed.", 1): ([1, 2],),
    }


def test_two_tables_differ_by_a_message_or_by_more_than_rounding(table):
    one = table_of(Doubled=[values(2.0)])
    assert one == table_of(Doubled=[values(2 + 1e-6)])
    assert one != table_of(Doubled=[values(2.01)])
    assert one != table_of(Twice=[values(2.0)])
    assert table != Table() and Table() == Table()
    assert table and not Table()


def test_what_comes_beside_infinities_may_differ_between_processors():
    def search(*ids, score=-math.inf):
        actual = torch.tensor(ids), torch.tensor(score)
        due = torch.tensor([1, 2]), torch.tensor(0.5)
        return table_of(A=[lambda: close(actual, due, ("The text", "Its score"))])

    assert search(1, 2, 3) == search(1, 2, 4)
    assert search(1, 2, 3) != search(1, 2)
    assert search(1, 2, 3, score=0.0) != search(1, 2, 4, score=0.0)
    assert search(1, 2, 3) != search(1, 2, 4, score=0.0)


def test_a_file_holds_no_right_results_and_none_that_it_cannot():
    large = torch.zeros(99, 99)
    table = table_of(
        A=[values(2.0), lambda: close(large, large + 1, "Large"), lambda: equal({1}, 1, "Set")],
        B=[values(1.0), lambda: close(large + 1, large + 1, "Large")],
    )
    small = unpack(pack({"test": table.for_file()}))["test"]
    assert small == table.for_file() and len(pack({"test": small})) < 1000
    recalled = small.recall(VALUES, (ONES,))
    assert torch.equal(recalled[WrongAnswer("A.", 1)][0], ONES * 2) and recalled[
        WrongAnswer("B.", 1)
    ] == (ONES,)
    large_one = Check(("Large",), 1)
    assert small.recall(large_one, (large + 1,)).keys() == {WrongAnswer("B.", 1)}
    assert small.failing([large_one]) == {WrongAnswer("A.", 1)}
    assert small.recall(Check(("Set",), 1), (1,)) == {}


def test_what_the_check_takes_for_wrong_is_kept_however_small():
    tiny = torch.tensor([1.7e-7], dtype=torch.float64)
    table = table_of(
        Zero=[lambda: close(0.0, 1.7e-7, "Rate"), lambda: close(0 * tiny, tiny, "Rates")]
    ).for_file()
    for name, expected in ("Rate", 1.7e-7), ("Rates", tiny):
        (recalled,) = table.recall(Check((name,), 1), (expected,)).values()
        assert float(recalled[0]) == 0


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
        ([0.0], [1e-17], True),
        (torch.zeros(2).numpy(), torch.zeros(2).numpy() + 1e-17, True),
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
            (tmp_path / f"{name}.jsonl").write_bytes(pack({f"{name}--values": table}))
        recall.runs(f"{next(iter(tables))}--values")

    monkeypatch.setattr(recall, "stored_folder", lambda: tmp_path)
    yield store
    recall.stored.cache_clear()
    recall.runs("")


def in_a_notebook(check, test="a--values"):
    """What a learner is told in their own notebook."""
    recall.runs(test)
    with pytest.raises(Mistake) as caught:
        check()
    return str(caught.value)


def test_a_learners_result_is_named_by_what_the_release_stored(table, stored):
    stored(a=table.for_file(), b=table_of(Of_another_test=[values(3.0)]))
    assert in_a_notebook(values(2.0)) == "Doubled."
    assert in_a_notebook(lambda: equal([1, 2], [2, 1], "Order")) == "Reversed."
    assert in_a_notebook(values(3.0)).startswith("Values: wrong in 6")
    assert in_a_notebook(values(2.0), test="").startswith("Values: wrong in 6")


def test_two_sets_may_have_a_test_of_one_name(stored, tmp_path):
    stored(a=table_of(A=[values(2.0)]))
    other = pack({"a--values": table_of(B=[values(2.0, expected=5 * ONES)])})
    (tmp_path / "other.jsonl").write_bytes(other)
    recall.stored.cache_clear()
    assert in_a_notebook(values(2.0)) == "A."
    assert in_a_notebook(values(2.0, expected=5 * ONES)) == "B."


OF_TEST = b'{"type": "OfTest", "test": "a--values", "answers": [["Doubled.", 1]]}\n'
NO_TABLES = {
    "empty": b"",
    "text": b"text",
    "a list": b"[1, 2]",
    "cut": OF_TEST[:-9],
    "no such answer": OF_TEST
    + b'{"type": "AtCheck", "check": [["Values"], 1], "right": [1], "wrong": []}',
    "no such tag": OF_TEST
    + b'{"type": "AtCheck", "check": [["Values"], 1], "right": [], '
    + b'"wrong": [{"answer": 0, "expected": ["?"], "found": null}]}',
}


@pytest.mark.parametrize("packed", NO_TABLES.values(), ids=NO_TABLES)
def test_a_file_that_is_no_table_costs_only_its_messages(packed, table, stored, tmp_path):
    with pytest.raises(wire.WireError):
        unpack(packed)
    (tmp_path / "old.jsonl").write_bytes(packed)
    stored(a=table)
    assert in_a_notebook(values(2.0)) == "Doubled."


def test_an_answer_that_fails_what_was_passed_is_not_named(stored):
    def first(factor):
        return lambda: close(factor * ONES, [[1.0] * 3] * 2, "First")

    then = values(2.0, name="Then")
    table = table_of(A=[first(1.0), then], B=[first(5.0), then], C=[first(1.0 + 1e-7), then])
    assert message_at(then, first(1.0), table=table) == both("A.", "C.")
    assert message_at(first(5.0), table=table) == "B."
    stored(a=table.for_file())
    assert in_a_notebook(lambda: (first(1.0)(), then())) == both("A.", "C.")


def test_an_answer_that_never_came_to_a_check_is_no_suspect():
    then = values(2.0, name="Then")
    table = table_of(Stops=[values(2.0)], Goes_on=[values(2.0), then])
    for known in table, table.for_file():
        assert message_at(then, values(2.0), table=known) == "Goes_on."


def test_a_right_result_of_a_file_rules_out_where_the_learners_is_wrong():
    table = table_of(A=[values(2.0), values(1.0)], B=[values(2.0), values(7.0)]).for_file()
    assert message_at(values(7.0), values(2.0), table=table) == "B."
    assert message_at(values(1.0), values(2.0), table=table) == "A."


def test_more_answers_than_can_be_named_are_not(stored):
    answers = {}
    for letter in "ABCDE":
        answers[letter] = [values(2.0)]
        stored(a=table_of(**answers))
        message = in_a_notebook(values(2.0))
        if letter == "D":
            assert message == both("A.", "B.", "C.", "D.")
    assert message.startswith("Values: wrong in 6 of 6 places")


def test_the_tests_own_message_is_named_if_too_many_others_are_and_it_is_not_ruled_out():
    table = table_of(**{letter: [values(2.0), values(3.0)] for letter in "ABCDEF"})

    def own(factor, wrong):
        return lambda: close(factor * ONES, ONES, "Values", mistakes={"Own.": wrong * ONES})

    assert message_at(own(3.0, 3.0), own(2.0, 2.0), table=table) == "Own."
    assert message_at(own(3.0, 9.0), own(2.0, 2.0), table=table).startswith("Values: wrong in 6")


def cell(test, function="f"):
    source = f"close(call({function}, 1.0) * ONES, ONES, 'Values')"
    return f"# a--{test} · 1 point\n# Its values.\n{source}"


@pytest.fixture
def shell(stored, tmp_path):
    """A notebook with two functions, and what A and B give in three tests of them."""
    given = {"one": (2.0, 3.0), "two": (5.0, 2.0), "three": (1.0, 4.0)}
    for test, (a, b) in given.items():
        table = table_of(A=[values(a)], B=[values(b)])
        (tmp_path / f"{test}.jsonl").write_bytes(pack({f"a--{test}": table.for_file()}))
    shell = InteractiveShell()
    shell.showtraceback = lambda *_, **__: None
    shell.user_ns |= {"close": close, "call": call, "ONES": ONES}
    speak(shell)
    shell.run_cell("def f(x):\n    return 2.0\n\ndef g(x):\n    return 4.0")
    return shell


def test_in_a_notebook_the_tests_before_it_decide(shell):
    several = "Several things may be wrong; start with a--one. Values: wrong in 6 of 6 places"
    assert str(shell.run_cell(cell("one")).error_in_exec) == "A."
    assert str(shell.run_cell(cell("two")).error_in_exec).startswith(several)
    assert str(shell.run_cell(cell("three", "g")).error_in_exec) == "B.", "of another function"
    shell.run_cell("def f(x):\n    return 2.0")
    assert str(shell.run_cell(cell("two")).error_in_exec) == "B."


def test_in_a_notebook_a_passed_test_rules_out_what_fails_it(shell):
    assert str(shell.run_cell(cell("two")).error_in_exec) == "B."
    shell.run_cell("def f(x):\n    return 1.0 + (len(calls) > 0)\n\ncalls = []")
    assert shell.run_cell(cell("three")).success
    shell.user_ns["calls"].append("later")
    message = str(shell.run_cell(cell("two")).error_in_exec)
    assert message.startswith("Values: wrong in 6 of 6 places")


def test_that_a_known_answer_stopped_is_kept():
    table = table_of(A=[values(2.0)])
    table.add(WrongAnswer("Stops.", 1), [CheckResult(recall.END, (), (), right=False)])
    for kept in table, unpack(pack({"t": table.for_file()}))["t"]:
        assert kept.ended_before(VALUES) == {WrongAnswer("Stops.", 1)} <= kept.losing()
