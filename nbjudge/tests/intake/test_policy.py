"""What an instructor writes down for a class: due dates, penalties, extensions, receipts."""

from datetime import UTC, datetime, timedelta

import pytest

from nbjudge.intake import roster
from nbjudge.intake.policy import Amount, Penalty, Rules, check_tests, read_rules

SETS = ["ps01-words", "ps05-self-attention"]
CLASS = ["ada", "ben", "a.love"]
SET = "[ps05-self-attention]\n"
DUE = SET + "due = 2026-11-30T23:59:00Z\n"
AT = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)


def rules(folder, text, students=CLASS):
    (folder / "class.toml").write_text(text, encoding="utf-8")
    return read_rules(folder, "ps05-self-attention", SETS, students)


def test_without_a_file_nothing_holds(tmp_path):
    policy = read_rules(tmp_path, "ps05-self-attention", SETS, CLASS)
    assert policy == Rules()
    assert policy.due_for("ada") is None


def test_everybody_has_a_due_date_of_their_own(tmp_path):
    policy = rules(
        tmp_path,
        'timezone = "Europe/Berlin"\n'
        + SET
        + 'due = 2026-11-30T23:59:00\npenalty = "10 % per day"\ngrace = "15 minutes"\n'
        'at_most = "50 %"\nvoid = ["scaling"]\n'
        "[ps05-self-attention.extensions]\n"
        'ada = 2026-12-07T12:00:00\nben = "3 days"\n'
        "[ps05-self-attention.points]\n"
        '"scaling--values" = 2\n'
        '[extra_time]\nada = "2 days"\nben = "1 day 12 hours"\n"a.love" = "90 minutes"\n'
        '[ps01-words]\ndue = "2026-10-30T12:00"\npenalty = "all"\n',
    )
    assert policy.due == datetime(2026, 11, 30, 22, 59, tzinfo=UTC), "Berlin's time, in UTC"
    assert policy.due_for("ada") == datetime(2026, 12, 7, 11, tzinfo=UTC), "a date is final"
    assert policy.due_for("ben") == policy.due + timedelta(days=4, hours=12), "times add up"
    assert policy.due_for("a.love") == policy.due + timedelta(minutes=90)
    assert policy.due_for("eve") == policy.due
    assert policy.penalty == Penalty(Amount(10, True), 86400, 900, Amount(50, True))
    assert (policy.void, policy.points) == ({"scaling"}, {"scaling--values": 2})
    assert policy.notes == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\ndue =\nb = 2", "cannot be read as TOML: .*line 2"),
        (SET + "due = 2026-11-30T23:59\n", "a date needs seconds"),
        (SET + "due = 2026-11-30\n", "line 2: due is 2026-11-30, .* with a time of day"),
        (SET + 'due = "tomorrow"\n', "line 2: due is 'tomorrow', but it must be a date"),
        ("\n[ps05]\n", "line 2: 'ps05' is not a problem set; it must be one of: ps01-words, ps05"),
        (DUE + "deu = 1\n", "line 3: 'deu' is unknown; it must be one of: due, penalty"),
        (DUE + 'penalty = "much"\n', "line 3: penalty is 'much', .* like '10 % per day'"),
        (DUE + "penalty = 10\n", "line 3: penalty is 10"),
        (SET + 'penalty = "all"\n', "line 2: a penalty needs a date in `due`"),
        (DUE + 'grace = "1 day"\n', "line 3: grace needs a `penalty`"),
        (DUE + 'penalty = "all"\ngrace = "soon"\n', "line 4: grace is 'soon'"),
        (DUE + 'penalty = "all"\nat_most = "half"\n', "line 4: at_most is 'half'"),
        (DUE + "extensions = 3\n", "line 3: extensions is 3, but it must be a table"),
        (
            DUE + '# a remark\n[ps05-self-attention.extensions]\nada = "a week"\n',
            "line 5: ada is 'a week', .* or a time such as “3 days”",
        ),
        (
            SET + '[ps05-self-attention.extensions]\nada = "3 days"\n',
            "line 3: an extension needs a date in `due`",
        ),
        (DUE + 'extensions = { ada = "x" }\n', "line 3: ada is 'x'"),
        (DUE + "extensions.a.love = 3\n", "line 3: a is .*quote a name with a dot in it"),
        (DUE + 'void = "scaling"\n', "line 3: void is 'scaling', but it must be a list"),
        (DUE + "points = { x = -1 }\n", "line 3: -1 is not a number of points"),
        ("extra_time = { ada = 3 }\n", "line 1: ada is 3, but it must be a time such as"),
        ('timezone = "Berlin"\n', "line 1: timezone is 'Berlin', .* such as 'Europe/Berlin'"),
        # A slip in another problem set is found today.
        ('[ps01-words]\ndue = "x"\n', "line 2: due is 'x'"),
    ],
)
def test_a_slip_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"(?s)class\.toml.*{message}"):
        rules(tmp_path, text)


def test_a_file_in_another_encoding_is_said_so(tmp_path):
    (tmp_path / "class.toml").write_bytes("# für".encode("latin-1"))
    with pytest.raises(ValueError, match="class.toml must be saved as UTF-8"):
        read_rules(tmp_path, "ps05-self-attention", SETS, CLASS)


def test_somebody_unknown_is_said_and_stops_nothing(tmp_path):
    policy = rules(tmp_path, DUE + 'extensions.adda = "1 day"\n[extra_time]\nbob = "1 day"\n')
    assert policy.notes == (
        "class.toml, line 5: 'bob' is not in the class.",
        "class.toml, line 3: 'adda' is not in the class.",
    )


@pytest.mark.parametrize(
    ("penalty", "late", "cost"),
    [
        (Penalty(Amount(10, True), 86400), 1, 4),
        (Penalty(Amount(10, True), 86400), 86400, 4),
        (Penalty(Amount(10, True), 86400), 86401, 8),
        (Penalty(Amount(10, True), 86400, grace=900), 900, 0),
        (Penalty(Amount(10, True), 86400, grace=900), 901, 4),
        (Penalty(Amount(10, True), 86400, at_most=Amount(50, True)), 86400 * 30, 20),
        (Penalty(Amount(2), 3600), 5400, 4),
        (Penalty(Amount(5)), 86400 * 30, 5),
        (Penalty(Amount(100, True)), 1, 31),
        (Penalty(Amount(0, True)), 86400, 0),
    ],
)
def test_what_late_work_costs(penalty, late, cost):
    assert penalty.points(late, 31, 40) == cost


def test_void_names_tests_or_whole_exercises():
    graded = ["scaling--values", "scaling--hidden", "mask--values", "mask--written"]
    checked_rules = check_tests(Rules(void=frozenset({"scaling", "mask--written"})), graded, "ps05")
    assert checked_rules.void == {"scaling--values", "scaling--hidden", "mask--written"}
    assert checked_rules.adjusted("scaling--values", 0.5, 2) == 2
    assert checked_rules.adjusted("mask--values", 0.5, 2) == 0.5
    with pytest.raises(ValueError, match=r"'scale' under void of \[ps05\].*one of: scaling--v"):
        check_tests(Rules(void=frozenset({"scale"})), graded, "ps05")
    with pytest.raises(ValueError, match="'scaling' under points"):
        check_tests(Rules(points={"scaling": 1.0}), graded, "ps05")
    with pytest.raises(ValueError, match="points of mask--written .* marked by hand"):
        check_tests(Rules(points={"mask--written": 1.0}), graded, "ps05")


# -- receipts --------------------------------------------------------------------------------------


def receipts(folder, text, problem_set="ps05-self-attention", zone=None):
    (folder / "receipts.csv").write_text(text, encoding="utf-8")
    return roster.receipts(folder, problem_set, SETS, zone)


HEAD = "student,problem_set,received\n"


def test_each_problem_set_has_its_own_receipts(tmp_path):
    text = HEAD + (
        "ada,ps01-words,2026-10-01T10:00Z\nada,ps05-self-attention,2026-12-01T10:00Z\n"
        "ben,ps01-words,2026-10-02T10:00Z\nben,ps05-self-attention,\n"
    )
    assert receipts(tmp_path, text) == {"ada": datetime(2026, 12, 1, 10, tzinfo=UTC)}
    assert receipts(tmp_path, text, "ps01-words") == {
        "ada": datetime(2026, 10, 1, 10, tzinfo=UTC),
        "ben": datetime(2026, 10, 2, 10, tzinfo=UTC),
    }


def test_a_table_for_one_problem_set_is_read_while_there_is_only_one(tmp_path):
    (tmp_path / "ada" / "ps05-self-attention").mkdir(parents=True)
    text = "student,received\nada,2026-12-01T10:00Z\n"
    assert set(receipts(tmp_path, text)) == {"ada"}
    (tmp_path / "ben" / "ps01-words").mkdir(parents=True)
    message = "must have a column called problem_set, .*: ps01-words, ps05-self-attention"
    for problem_set in SETS:
        with pytest.raises(ValueError, match=message):
            receipts(tmp_path, text, problem_set)


def test_a_spreadsheets_semicolons_and_zone(tmp_path):
    from zoneinfo import ZoneInfo

    text = "\ufeffstudent;problem_set;received\r\nada;ps05-self-attention;2026-12-01 10:00\r\n"
    times = receipts(tmp_path, text, zone=ZoneInfo("Europe/Berlin"))
    assert times == {"ada": datetime(2026, 12, 1, 9, tzinfo=UTC)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "ada,ps05-self-attention,soon\n", "line 2: 'soon' is given for ada"),
        (HEAD + "ada,ps01-words,\nada,ps5,2026-12-01\n", "line 3: 'ps5' is not a problem set"),
        (HEAD + ",ps01-words,2026-12-01\n", "line 2: there must be columns student"),
        (HEAD + "ada,,2026-12-01\n", "line 2: there must be columns student"),
        ("student,problem_set\nada,ps01-words\n", "line 2: there must be columns student"),
        (
            HEAD + "ada,ps01-words,2026-12-01\nben,ps01-words,\nada,ps01-words,2026-12-02\n",
            "line 4: the time for ada and ps01-words differs from that in line 2",
        ),
    ],
)
def test_a_receipt_that_cannot_be_read_is_named_with_its_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"receipts\.csv, {message}"):
        receipts(tmp_path, text)
