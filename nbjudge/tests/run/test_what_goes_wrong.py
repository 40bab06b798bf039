"""What can go wrong beside the submissions: one line with the cause, and nothing is lost."""

import contextlib
import errno
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import sqlalchemy
from command_line import run_command, table_in
from small_set import NAME, SANDBOXED, answered, grade, hand_in

from nbjudge.failure import GradingFailed, of_the_machine
from nbjudge.run import engine, submissions
from nbjudge.run.interrupts import STOPPED
from nbjudge.sandbox import SandboxError, promises, trial
from nbjudge.store.ledger import Ledger

pytestmark = pytest.mark.thorough("grading of small classes")

SANDBOX = "--sandbox" if SANDBOXED else "--no-sandbox"


@pytest.fixture
def run(one_nursery, in_small_course, small_course, tmp_path):
    """Grade a class of one by the command; gives back the exit code and what is said."""
    hand_in(tmp_path / "in", "ada", answered(small_course))

    def call(*more, into=tmp_path / "out"):
        folders = "--submitted", tmp_path / "in", "--into", into
        code, output = run_command("grade", NAME, *folders, SANDBOX, *more)
        assert "Traceback" not in output
        return code, output

    return call


def one_line(output):
    (line,) = output.strip().splitlines()
    return line


def test_a_folder_that_cannot_be_written(run):
    code, output = run(into="/sys/graded")
    assert code == 2
    assert "/sys/graded" in one_line(output) and "permission denied" in output


def test_a_full_disk_and_then_room(run, monkeypatch, tmp_path):
    """What had been judged is not judged again."""
    real = submissions.write_whole

    def full(path, content):
        if "autograded" in str(path):
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return real(path, content)

    monkeypatch.setattr(submissions, "write_whole", full)
    code, output = run()
    assert code == 2
    assert one_line(output).startswith("The disk is full, at ") and "Free some space" in output
    monkeypatch.setattr(submissions, "write_whole", real)
    code, output = run()
    assert code == 0
    assert "0 of 1 notebooks run" in output
    assert "10/13" in output


class FullBook(engine.Book):
    """A gradebook whose disk is full when a submission is added to it."""

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        sqlalchemy.event.listen(self._book.engine, "do_execute", _full)


def _full(cursor, statement, parameters, context):
    if statement.startswith("INSERT INTO submitted_assignment"):
        raise sqlite3.OperationalError("database or disk is full")


def _ledger_full(*_):
    raise sqlite3.OperationalError("database or disk is full")


@pytest.mark.parametrize("which", ["gradebook", "ledger"])
def test_a_full_disk_below_a_database_and_then_room(run, monkeypatch, which):
    """nbgrader raises an error of its own, and logs a traceback."""
    with monkeypatch.context() as patch:
        if which == "gradebook":
            patch.setattr(engine, "Book", FullBook)
        else:
            patch.setattr(Ledger, "finish", _ledger_full)
        code, output = run()
        assert code == 2
        assert one_line(output).startswith("The disk is full, at a database in the folder")
    code, output = run()
    assert code == 0
    assert "0 of 1 notebooks run" in output and "10/13" in output


class DiskFull(Exception):
    """What a driver of PostgreSQL raises."""

    sqlstate = "53100"


def _caused():
    try:
        raise OSError(errno.ENOSPC, "No space left on device")
    except OSError:
        raise ValueError("something else") from None


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (sqlalchemy.exc.OperationalError("INSERT", {}, DiskFull()), "at the gradebook's server"),
        (shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")]), "is full"),
        (sqlite3.OperationalError("disk I/O error"), "is full or failing, at a database"),
        (shutil.Error([("a", "b", "[Errno 5] Input/output error: 'b'")]), ""),
        (ValueError("no"), ""),
    ],
    ids=range(5),
)
def test_a_full_disk_is_told_in_whatever_form(error, message):
    assert message in of_the_machine(error) and bool(message) == bool(of_the_machine(error))


def test_an_error_that_says_it_better_is_not_replaced():
    with pytest.raises(ValueError) as raised:
        _caused()
    assert of_the_machine(raised.value) == ""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE alembic_version SET version_num = '50a4d84c131a'", "another version of nbgrader"),
        ("DROP TABLE alembic_version", "another version of nbgrader"),
        ("", "not a gradebook"),
    ],
)
def test_a_gradebook_that_is_old_or_none(small_course, tmp_path, statement, message):
    hand_in(tmp_path / "in", "ada", "{")
    grade(tmp_path / "in", tmp_path / "out", small_course)
    path = tmp_path / "out" / "gradebook.db"
    if statement:
        with sqlite3.connect(path) as book:
            book.execute(statement)
        book.close()
    else:
        path.write_bytes(b"no gradebook at all " * 500)
    before = path.read_bytes()
    with pytest.raises(GradingFailed, match=message) as failed:
        grade(tmp_path / "in", tmp_path / "out", small_course)
    assert str(path) in str(failed.value) and "nbgrader rejects" not in str(failed.value)
    assert path.read_bytes() == before


def test_a_ledger_that_is_none(small_course, tmp_path):
    hand_in(tmp_path / "in", "ada", "{")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ledger.db").write_bytes(b"x" * 5000)
    with pytest.raises(GradingFailed, match=r"ledger\.db is damaged .* Move it away"):
        grade(tmp_path / "in", tmp_path / "out", small_course)


def test_a_scheduler_that_is_not_there(run):
    began = time.monotonic()
    code, output = run("--scheduler", "tcp://127.0.0.1:9")
    assert code == 2
    assert "scheduler is 'tcp://127.0.0.1:9', but nothing answers there" in one_line(output)
    assert time.monotonic() - began < 20


def test_what_stops_the_trial_of_the_sandbox_is_not_the_sandboxs_fault(monkeypatch):
    def stopped():
        raise SandboxError("A fork server did not start: [Errno 32] Broken pipe")

    monkeypatch.setattr(promises, "broken", stopped)
    trial.status.cache_clear()
    try:
        with pytest.raises(SandboxError) as error:
            trial.require()
    finally:
        trial.status.cache_clear()
    assert "Broken pipe" in str(error.value) and "Run the command again" in str(error.value)
    assert "--no-sandbox" not in str(error.value)


def test_what_killed_runs_left_is_cleared_away(run, tmp_path):
    left = tmp_path / "out" / "workers-abc" / "inner"
    left.mkdir(parents=True)
    assert run()[0] == 0
    assert not left.parent.exists()


def test_folders_with_odd_names(run, small_course, tmp_path):
    """A no-break space is a space; a name that cannot be written stops nobody else."""
    hand_in(tmp_path / "in", "Ada\u00a0Lovelace", answered(small_course))
    odd = os.fsencode(tmp_path / "in") + b"/j\xf6rg"
    os.mkdir(odd)
    code, output = run()
    assert code == 0
    assert output.count("10/13") == 2
    assert r"j\udcf6rg, whose name cannot be written" in output


#: Where a run is stopped, in the order in which it comes there: what is seen of it by then, and
#: seconds after that.
MOMENTS = (
    ("it was started", 0),
    ("it was started", 0.5),
    (".lock", 0),
    ("ledger.db", 0),
    ("gradebook.db", 0),
    ("workers", 0),
    ("workers", 2),
    ("somebody is graded", 0),
    ("everybody is graded", 0),
)


@pytest.mark.release("walk through moments of Ctrl-C")
@pytest.mark.timeout(900)
def test_ctrl_c_at_any_moment(one_nursery, small_course, tmp_path):
    """In each phase of a run, as a terminal sends it: to all that the process has started.

    It ends with a line, no process is left, and the same command goes on to the same marks.
    """
    students = ("ada", "bob", "eve", "kim")
    for student in students:
        hand_in(tmp_path / "in", student, answered(small_course))
    (tmp_path / "in" / "kim" / NAME / f"{NAME}.ipynb").write_text("{")
    command, environment = _command(small_course, tmp_path, "--seed", "1")
    ended = {}
    for sign, seconds in MOMENTS:
        moment, before = f"{seconds} s after {sign}", _workers(tmp_path)
        started = _started(command, tmp_path, environment)
        while started.poll() is None and not _seen(sign, started.pid, tmp_path, before):
            time.sleep(0.005)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGINT)
        output, wrong = started.communicate(timeout=60)
        ended[moment] = started.returncode
        too_early = "Fatal Python error: init_" in wrong  # Python itself had not come up
        assert too_early or "Traceback" not in output + wrong, (moment, wrong)
        if started.returncode == 130:  # nothing is said if the command was about to begin
            assert wrong.strip() in ("", STOPPED), moment
        elif started.returncode == -signal.SIGINT:  # none of our code had been run
            assert not wrong.strip(), moment
        else:
            assert too_early or started.returncode == 0, (moment, wrong)
        end = time.monotonic() + 30
        while left := [p for p in psutil.process_iter() if _belongs(p, str(tmp_path))]:
            assert time.monotonic() < end, (moment, left)
            time.sleep(0.1)
    assert sum(code == 130 for code in ended.values()) >= len(MOMENTS) - 3, ended
    again = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert again.returncode == 0, again.stderr
    marks = _marks(tmp_path / "out")
    assert [(student, score) for student, score, _ in marks] == list(
        zip(students, ("10", "10", "10", "0"), strict=True)
    )
    grade(tmp_path / "in", tmp_path / "undisturbed", small_course, seed=1)
    assert marks == _marks(tmp_path / "undisturbed")


def _seen(sign, pid, folder, before):
    """Whether a run has come to where this is seen of it."""
    if sign == "it was started":
        return True
    if sign == "workers":
        return _workers(folder) - before
    if sign.startswith((".", "ledger", "gradebook")):
        try:
            return any(os.readlink(f).endswith(sign) for f in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:  # it has ended, or closed that one
            return False
    with sqlite3.connect(folder / "out" / "ledger.db", timeout=30) as ledger:
        finished = ledger.execute(
            "SELECT count(*) FROM submission WHERE state = 'finished' AND student != 'kim'"
        ).fetchone()[0]
    ledger.close()
    return finished >= (3 if sign.startswith("everybody") else 1)


def _workers(folder):
    return set((folder / "out").glob("workers-*"))


def _marks(into):
    rows = table_in(into / "grades.csv")
    return [(row["student"], row["score"], row["flags"]) for row in rows]


def _command(course, folder, *more):
    """The command that grades the class in a folder, and its environment."""
    start = Path(sys.executable).with_name("tfcourse")
    arguments = ["grade", NAME, "--submitted", "in", "--into", "out", "--workers", "2", SANDBOX]
    environment = {**os.environ, "TFCOURSE_ROOT": str(course), "MARK": str(folder)}
    return [str(start), *arguments, *more], environment


def _started(command, folder, environment):
    """Start it as a terminal does: in a process group of its own.

    Ctrl-C is as Python has it; a shell's background jobs ignore it.
    """
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def _belongs(process, mark):
    try:
        return process.environ().get("MARK") == mark
    except psutil.Error:
        return False
