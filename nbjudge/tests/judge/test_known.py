"""The course's wrong answers, run on a test in place of a learner's."""

import random
from time import monotonic

import pytest
import torch
from judged_set import code
from nbformat.v4 import new_notebook

from nbjudge.answers import Variant, known_answers
from nbjudge.desk.worker import Alarm, DirectLink
from nbjudge.inside.testing.by_hand import by_hand, forbidden
from nbjudge.inside.testing.recall import Check, pack
from nbjudge.judge.examiner import Examiner
from nbjudge.judge.known import Known
from nbjudge.judge.messages import Ask, KnownAnswers, KnownCell, LearnersNames, SetUp
from nbjudge.judge.outcome import agreed
from nbjudge.testing import fresh

SETUP = "import torch\nfrom nbjudge.testing import *\n\ndef helped(x):\n    return scaled(x) + 1"
SCALED = "def scaled(x):\n    ### BEGIN SOLUTION\n    return 3 * x\n    ### END SOLUTION"
USED = "by = scaled(torch.ones(1)).item()"
TEST = """\
by_hand("attention")
x = torch.arange(3.0)
close(call(scaled, x), 3 * x, "Scaled")
close(torch.tensor(by), 3.0, "Used")
### BEGIN HIDDEN TESTS
x = torch.randn(2, generator=fresh("scaled--values"))
close(call(scaled, x), 3 * x, "Drawn")
### END HIDDEN TESTS
"""


TWO = """\
close(call(scaled, torch.ones(1)), [3.0], "Shown")
### BEGIN HIDDEN TESTS
close(call(scaled, 2 * torch.ones(1)), torch.tensor([6.0]), "Hidden")
### END HIDDEN TESTS
"""


def with_stored(*wrong):
    """The same, with what a release stores for :data:`TWO`."""
    first = known(*wrong)
    visible = first.table("scaled--values", TWO.partition("###")[0]).for_file()
    stored = pack({"scaled--values": visible})
    return Known(KnownAnswers(**vars_of(first), stored=stored))


ALWAYS = ("Always 2x.", "def scaled(x):\n    return 2 * x")
LATE = ("Only for 1.", "def scaled(x):\n    return 3 * x if x == 1 else x")
OTHER = ("Also only for 1.", "def scaled(x):\n    return 3 + 0 * x")
SHOWN = Check(("Shown",), 1)


@pytest.fixture
def ran(monkeypatch):
    """The messages of the answers that were run."""
    seen = []
    real = Known.table

    def table(self, test, source, among, *, patient):
        assert not patient
        seen.append(sorted(answer.says for answer in among))
        return real(self, test, source, among, patient=patient)

    def watch(known):
        monkeypatch.setattr(Known, "table", table)
        return known

    watch.seen = seen
    return watch


def test_what_a_release_has_stored_is_looked_up(ran):
    find = ran(with_stored(ALWAYS, LATE, OTHER)).find("scaled--values", TWO, lambda: False)
    (table,) = find([], [])
    wrong = {says for says, got in recalled(table, "Shown", [3.0]).items() if got != [3.0]}
    assert wrong == {"Always 2x."}
    assert ran.seen == []


def test_only_those_that_pass_what_was_passed_are_run_and_once(ran):
    find = ran(with_stored(ALWAYS, LATE, OTHER)).find("scaled--values", TWO, lambda: True)
    for _ in range(2):
        table, passed_over = find([SHOWN], [])
        assert set(recalled(table, "Hidden", torch.tensor([6.0]))) == {LATE[0], OTHER[0]}
        assert {answer.says for answer in passed_over.losing()} == {ALWAYS[0]}
    assert ran.seen == [sorted([LATE[0], OTHER[0]])]


def test_only_suspects_are_run(ran):
    find = ran(with_stored(ALWAYS, LATE, OTHER)).find("scaled--values", TWO, lambda: True)
    find([SHOWN], [OTHER[0], "A message of the test's own."])
    assert ran.seen == [[OTHER[0]]]


def test_without_a_release_all_are_run(ran):
    find = ran(known(ALWAYS, LATE)).find("scaled--values", TWO, lambda: False)
    (table,) = find([], [])
    assert set(recalled(table, "Shown", [3.0])) == {ALWAYS[0], LATE[0]}
    assert ran.seen == [sorted([ALWAYS[0], LATE[0]])]
    broken = Known(KnownAnswers(**vars_of(known(ALWAYS)), stored=b"other"))
    assert broken.stored is None


def vars_of(known):
    return {"cells": known.cells, "wrong": known.wrong, "keeping": sorted(known.keeping)}


def known(*wrong, keeping=False):
    """A problem set's wrong answers: pairs of what they say and their source."""
    test = TEST + "untouched(scaled, torch.ones(2), names=['x'])" * keeping
    notebook = new_notebook(
        cells=[
            code("setup", SETUP, locked=True),
            code("scaled", SCALED, solution=True),
            code("setup-used", USED, locked=True),
            code("scaled--values", test, grade=True, locked=True, points=1),
            code("other", "def other(x):\n    return scaled(x)", solution=True),
            code("other--values", 'close(call(other, 1.0), 3.0, "Other")', grade=True, locked=True),
        ]
    )
    answers = [Variant("scaled", says, False, says, source, says=says) for says, source in wrong]
    return Known(
        known_answers(notebook, {"scaled": [*answers, Variant("scaled", "r", True, "", "1/0")]})
    )


def recalled(table, name, expected):
    known = table.recall(Check((name,), 1), (expected,))
    return {answer.says: got for answer, (got,) in known.items()}


@pytest.fixture(autouse=True)
def seeded(monkeypatch):
    monkeypatch.setenv("NBJUDGE_SEED", "5")


def test_each_wrong_answer_goes_through_the_test_to_its_end():
    table = known(("Doubled.", "def scaled(x):\n    return 2 * x")).table("scaled--values", TEST)
    x = torch.arange(3.0)
    assert torch.equal(recalled(table, "Scaled", 3 * x)["Doubled."], 2 * x)
    drawn = torch.randn(2, generator=fresh("scaled--values"))
    assert torch.equal(recalled(table, "Drawn", 3 * drawn)["Doubled."], 2 * drawn)


def test_what_a_set_up_cell_computes_from_the_answer_follows_it():
    table = known(("Doubled.", "def scaled(x):\n    return 2 * x")).table("scaled--values", TEST)
    assert recalled(table, "Used", 3.0)["Doubled."] == 2.0
    halves = known(("Helped.", "def scaled(x):\n    return 2 * x"))
    table = halves.table("scaled--values", 'close(helped(1.0), 4.0, "Late")')
    assert recalled(table, "Late", 4.0) == {"Helped.": 3.0}


def test_an_answer_leaves_nothing_behind():
    wrong = known(
        ("First.", "left = 1\ndef scaled(x):\n    return 2 * x"),
        ("Second.", "def scaled(x):\n    return x + ('left' in globals())"),
    )
    for _ in range(2):
        table = wrong.table("scaled--values", 'close(call(scaled, 1.0), 3.0, "It")')
        assert recalled(table, "It", 3.0) == {"First.": 2.0, "Second.": 1.0}
    assert "left" not in wrong._space


def test_one_that_fails_says_what_it_returned_before():
    stops = "calls = []\ndef scaled(x):\n    calls.append(x)\n    return 2 * x / (3 - len(calls))"
    wrong = known(
        ("Stops.", stops),
        ("Never there.", "def scaled(x)"),
        ("Exits.", "def scaled(x):\n    raise SystemExit"),
    )
    table = wrong.table("scaled--values", TEST)
    assert set(recalled(table, "Scaled", 3 * torch.arange(3.0))) == {"Stops."}
    assert set(recalled(table, "Used", 3.0)) == {"Stops."}


def test_one_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("nbjudge.judge.known.SECONDS", 0.2)
    table = known(
        ("Endless.", "def scaled(x):\n    while True:\n        pass"),
        ("Doubled.", "def scaled(x):\n    return 2 * x"),
    ).table("scaled--values", TEST, patient=False)
    assert set(recalled(table, "Scaled", 3 * torch.arange(3.0))) == {"Doubled."}


def test_nothing_shows_that_they_ran(capsys):
    by_hand("attention")
    torch.manual_seed(1)
    random.seed(1)
    before = torch.get_rng_state(), random.getstate()
    noisy = "def scaled(x):\n    print(x, torch.rand(1))\n    return torch.softmax(x, -1)"
    known(("Noisy.", noisy)).table("scaled--values", TEST)
    assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[1]
    assert capsys.readouterr().out == ""
    assert forbidden() == ("attention",)
    by_hand()


def test_what_an_answer_sets_for_all_of_pytorch_is_set_back():
    sets = "def scaled(x):\n    torch.set_grad_enabled(False)\n    raise ValueError"
    wide = "def scaled(x):\n    torch.set_default_dtype(torch.float64)\n    return 2 * x"
    known(("Cuts off.", sets), ("Wide.", wide)).table("scaled--values", TEST)
    assert torch.is_grad_enabled() and torch.get_default_dtype() == torch.float32


def test_all_together_have_little_time(monkeypatch):
    monkeypatch.setattr("nbjudge.judge.known.SECONDS", 0.2)
    monkeypatch.setattr("nbjudge.judge.known.SECONDS_OF_ALL", 0.1)
    sleeps = "import time\ndef scaled(x):\n    time.sleep(9)"
    two = known(("Sleeps.", sleeps), ("Doubled.", "def scaled(x):\n    return 2 * x"))
    began = monotonic()
    assert not two.table("scaled--values", TEST, patient=False)
    assert monotonic() - began < 5
    monkeypatch.setattr("nbjudge.judge.known.PATIENT_SECONDS", 0.2)
    assert two.table("scaled--values", TEST)


def test_an_answer_that_changes_its_input_gets_as_far_as_a_learners():
    changes = ("In place.", "def scaled(x):\n    return x.mul_(2)")
    for keeping in (False, True):
        table = known(changes, keeping=keeping).table("scaled--values", TEST)
        assert bool(recalled(table, "Scaled", 3 * torch.arange(3.0))) == keeping


def test_exercises_may_come_in_any_order():
    wrong = known(("Doubled.", "def scaled(x):\n    return 2 * x"))
    assert not wrong.table("other--values", "1 / 0")
    for _ in range(2):
        assert wrong.table("scaled--values", TEST)
    assert not Known().table("scaled--values", TEST)


def test_whether_a_run_came_to_its_end_is_kept():
    stops = ("Stops.", "def scaled(x):\n    raise ValueError")
    table = known(stops, ALWAYS).table("scaled--values", TWO)
    assert {answer.says for answer in table.ended_before(SHOWN)} == {"Stops."}
    assert {answer.says for answer in table.losing()} == {"Stops.", ALWAYS[0]}


BOTH = """\
close(call(scaled, 2 * torch.ones(1)), [6.0], "Two")
"""


def examined(answer, wrong):
    """What the examiner and the judge tell of an answer in two tests, one after the other."""
    tests = {"scaled--values": TWO.partition("###")[0], "scaled--two": BOTH}
    first = known(*wrong)
    first.cells.append(KnownCell(kind="test", name="scaled--two"))
    tables = {test: first.table(test, source).for_file() for test, source in tests.items()}
    stored = pack(tables)
    names = {"torch": torch}
    exec(answer, names)
    examiner = Examiner()
    examiner.known = Known(KnownAnswers(**{**vars_of(first), "keeping": []}, stored=stored))
    examiner.link, results = DirectLink(names, Alarm()), {}
    before = [SetUp(source=SETUP), LearnersNames(names=["scaled"])]
    for test, source in tests.items():
        ask = Ask(name=test, source=source, before=before, seconds=9.0, call_seconds=9.0)
        results[test], before = examiner.test(ask), []
    return agreed(results)


def test_one_cause_is_told_in_all_tests_of_a_function_or_none():
    wrong = [ALWAYS, LATE, ("Gives 2.", "def scaled(x):\n    return 0 * x + 2")]
    assert examined(ALWAYS[1], wrong) == dict.fromkeys(["scaled--values", "scaled--two"], ALWAYS[0])
    messages = examined("def scaled(x):\n    return 2 * x if x == 1 else x / 2 + 1", wrong)
    assert messages == dict.fromkeys(["scaled--values", "scaled--two"], "Gives 2.")
    messages = examined("def scaled(x):\n    return 2 * x if x == 1 else x + 3", wrong)
    assert messages["scaled--values"].startswith(
        "Several things may be wrong; start with this test."
    )
    assert messages["scaled--two"].startswith(
        "Several things may be wrong; start with scaled--values."
    )
    assert messages["scaled--two"].endswith("Two: 5 at [0], it must be 6.")
    assert examined("def scaled(x):\n    return 3 * x if x == 1 else x", wrong) == {
        "scaled--two": LATE[0]
    }
