"""Feedback on its way back: nbgrader's real exchange with two learners; zips for Canvas, Moodle."""

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from command_line import run_command
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import (
    ExchangeCollect,
    ExchangeFetchAssignment,
    ExchangeFetchFeedback,
    ExchangeReleaseAssignment,
    ExchangeSubmit,
)
from small_set import COURSE_ID, NAME, answered, grade, hand_in
from traitlets.config import Config

from nbjudge.intake import roster, stamps
from nbjudge.intake.converting import own_programs_first
from nbjudge.report import returning
from nbjudge.store.folder import GradingFolder
from nbjudge.store.results import Report

pytestmark = [
    pytest.mark.thorough("grading of small classes"),
    pytest.mark.usefixtures("one_nursery"),
    pytest.mark.skipif(sys.platform == "win32", reason="nbgrader's exchange needs Unix"),
    # nbgrader's own use of the clock and of its tables.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::sqlalchemy.exc.SAWarning"),
]


class Exchange:
    """nbgrader's exchange in a folder. Each learner has a home and a cache of their own."""

    def __init__(self, folder: Path, course: Path):
        self.folder, self.course, self.root = folder, course, folder / "exchange"
        self.root.mkdir()
        self.root.chmod(0o777)

    def do(self, what: type, student: str = "*") -> None:
        home = self.folder / "homes" / student if student != "*" else self.folder
        home.mkdir(parents=True, exist_ok=True)
        config = Config()
        config.CourseDirectory.course_id = COURSE_ID
        config.CourseDirectory.student_id = student
        config.CourseDirectory.assignment_id = NAME
        config.CourseDirectory.root = str(self.folder)
        config.CourseDirectory.release_directory = str(self.course / "notebooks" / "assignments")
        config.Exchange.root, config.Exchange.cache = str(self.root), str(home / "cache")
        config.Exchange.assignment_dir = str(home)
        coursedir = CourseDirectory(config=config)
        authenticator = Authenticator(config=config)
        with own_programs_first():
            what(coursedir=coursedir, authenticator=authenticator, config=config).start()

    def hand_in(self, student: str, notebook) -> None:
        if not (self.folder / "homes" / student / NAME).is_dir():
            self.do(ExchangeFetchAssignment, student)
        path = self.folder / "homes" / student / NAME / f"{NAME}.ipynb"
        path.chmod(0o644)
        nbformat.write(notebook, path)
        self.do(ExchangeSubmit, student)


@pytest.fixture
def exchange(small_course, tmp_path):
    made = Exchange(tmp_path, small_course)
    made.do(ExchangeReleaseAssignment)
    return made


def nbgrader(folder, *arguments):
    """nbgrader's own command, as an instructor types it."""
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(folder), "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "nbgrader", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_pages_go_back_by_the_exchange_to_whom_they_belong(exchange, small_course, tmp_path):
    exchange.hand_in("ada", answered(small_course))
    exchange.hand_in("ben", answered(small_course, double="double = abs"))
    exchange.do(ExchangeCollect)
    submitted, into = tmp_path / "submitted", tmp_path / "graded"
    hand_in(submitted, "cyd", answered(small_course))  # by mail
    (submitted / "roster.csv").write_text("student\nada\nben\ncyd\ndee\n")
    report = grade(submitted, into, small_course)
    for name in ("ada", "ben"):
        assert not [flag for flag in report.students[name].flags if "left out" in flag]
        secret = (submitted / name / NAME / "submission_secret.txt").read_text()
        for step in ("feedback", "autograded"):
            place = into / step / name / NAME
            assert (place / "submission_secret.txt").read_text() == secret
            assert " UTC" in (place / "timestamp.txt").read_text()

    done = nbgrader(into, "release_feedback", NAME, f"--Exchange.root={exchange.root}")
    assert done.returncode == 0, done.stderr
    assert len(list((exchange.root / COURSE_ID / "feedback").iterdir())) == 4
    for name, points in (("ada", "10 of 10"), ("ben", "5 of 10")):
        exchange.do(ExchangeFetchFeedback, name)
        pages = list((tmp_path / "homes" / name).rglob("*.html"))
        (page,) = pages
        assert f"{points} points so far" in page.read_text("utf-8"), "their own and no other"
    # The names of the pages in the exchange are known only to those whose they are.
    names = {path.stem for path in (exchange.root / COURSE_ID / "feedback").iterdir()}
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in names)
    grade(submitted, into, small_course)
    again = nbgrader(into, "release_feedback", NAME, f"--Exchange.root={exchange.root}")
    assert again.returncode == 0, again.stderr
    assert {path.stem for path in (exchange.root / COURSE_ID / "feedback").iterdir()} == names


@pytest.mark.parametrize(
    "secret", ["", "../../x", "a" * 600, "é" * 20, "two\nlines " * 4], ids=range(5)
)
def test_a_secret_that_is_none_is_not_believed(small_course, tmp_path, secret):
    path = hand_in(tmp_path / "in", "eve", answered(small_course))
    (path.parent / "submission_secret.txt").write_text(secret)
    (path.parent / "timestamp.txt").write_text("tomorrow\n" * 9)
    folder = GradingFolder(tmp_path / "out", small_course, NAME)
    folder.path("feedback", "eve").mkdir(parents=True)
    kept = folder.path("feedback", "eve") / "submission_secret.txt"
    returning.keep_for_exchange(folder, "eve", path.parent, "")
    first = kept.read_text()
    assert re.fullmatch("[0-9a-f]{128}", first)
    assert (kept.parent / "timestamp.txt").read_text() == ""
    returning.keep_for_exchange(folder, "eve", path.parent, "")
    assert kept.read_text() == first


def test_the_exchanges_time_is_the_systems(exchange, small_course, tmp_path):
    """A learner can set the folder's name, timestamp.txt and the file's time."""
    began = datetime.now(UTC).replace(microsecond=0)
    exchange.hand_in("ada", answered(small_course))
    exchange.hand_in("ben", answered(small_course))
    inbound = exchange.root / COURSE_ID / "inbound"
    (mine,) = inbound.glob("ben+*")
    parts = mine.name.split("+")
    early = "2020-01-01 00:00:00 UTC"
    (mine / "timestamp.txt").chmod(0o644)
    (mine / "timestamp.txt").write_text(early)
    forged = mine.rename(inbound / "+".join([*parts[:2], early, parts[3]]))
    for path in (*forged.iterdir(), forged):
        os.utime(path, (0, 0))
    exchange.do(ExchangeCollect)
    submitted = tmp_path / "submitted"
    (submitted / "receipts.csv").write_text(
        "student,problem_set,received,how\ncyd,ps98-other,2026-01-01T00:00Z,mail\n"
    )
    sets = {NAME: {NAME: {}}, "ps98-other": {"one": {}, "two": {}}}
    made = stamps.write_receipts(submitted, exchange.root, COURSE_ID, sets)
    assert made.written == 2
    times = roster.receipts(submitted, NAME, [NAME, "ps98-other"])
    for name in ("ada", "ben"):
        assert began - timedelta(seconds=1) <= times[name] <= datetime.now(UTC), name
    (note,) = [note for note in made.notes if "claims to have come in at" in note]
    assert note.startswith(f"ben: {NAME} claims to have come in at 2020-01-01")
    assert "cyd,ps98-other,2026-01-01T00:00Z,mail" in (submitted / "receipts.csv").read_text()
    # Handed in again after it was collected: the time is still that of what was collected.
    exchange.hand_in("ada", answered(small_course, double="double = abs"))
    stamps.write_receipts(submitted, exchange.root, COURSE_ID, {NAME: {NAME: {}}})
    assert roster.receipts(submitted, NAME, [NAME, "ps98-other"])["ada"] == times["ada"]


def test_work_of_several_notebooks_has_a_receipt(tmp_path):
    """It came in when the last of them did, and only a folder with all of them is it."""
    inbound, mine = tmp_path / "exchange" / "c" / "inbound", tmp_path / "in" / "ada" / "ps"
    for folder, second in (
        (mine, "2"),
        (inbound / "ada+ps+t+1", "2"),
        (inbound / "ada+ps+t+2", "3"),
    ):
        folder.mkdir(parents=True)
        (folder / "one.ipynb").write_text("1")
        (folder / "two.ipynb").write_text(second)
    os.utime(inbound / "ada+ps+t+1", (0, 0))
    notebooks = {"one": {}, "two": {}}
    made = stamps.write_receipts(
        tmp_path / "in", tmp_path / "exchange", "c", {"ps": notebooks, "other": {"other": {}}}
    )
    assert made.written == 1
    (mine / "two.ipynb").write_text("4")
    made = stamps.write_receipts(tmp_path / "in", tmp_path / "exchange", "c", {"ps": notebooks})
    assert made.written == 0 and "is not in the exchange" in made.notes[0]


WEIGHTS = "weights.safetensors"


class Handed:
    """Work in an exchange, with a file of tensors, and what was collected of it."""

    def __init__(self, folder: Path, names: tuple[str, str]):
        self.folder, self.names = folder, names
        self.inbound, self.mine = (
            folder / "exchange" / "c" / "inbound",
            folder / "in" / "ada" / "ps",
        )
        self.mine.mkdir(parents=True)

    def hand_in(self, number: int, *contents: str) -> Path:
        place = self.inbound / f"ada+ps+t+{number}"
        place.mkdir(parents=True)
        for name, content in zip(self.names, contents, strict=False):
            (place / name).write_text(content)
        return place

    def collect(self, *contents: str) -> stamps.Stamped:
        for name, content in zip(self.names, contents, strict=False):
            (self.mine / name).write_text(content)
        sets = {"ps": {"ps": {WEIGHTS: 1}}}
        return stamps.write_receipts(self.folder / "in", self.folder / "exchange", "c", sets)

    def received(self) -> datetime:
        return roster.receipts(self.folder / "in", "ps", ["ps"])["ada"]


@pytest.fixture(params=[("ps.ipynb", WEIGHTS), ("ps (1).ipynb", "weights-1.safetensors")])
def handed(request, tmp_path):
    """Under the right names, and under those that a platform gives: grading takes both."""
    return Handed(tmp_path, request.param)


def test_weights_handed_in_late_make_the_work_late(handed):
    """The notebook is from before; a file that is graded was replaced, so its time counts."""
    place = handed.hand_in(1, "{}", "first")
    assert handed.collect("{}", "first").written == 1
    punctual = handed.received()
    time.sleep(1.1)  # receipts count in seconds
    (place / handed.names[1]).write_text("later")
    assert handed.collect("{}", "later").written == 1
    assert handed.received() > punctual


def test_a_submission_with_other_weights_is_another(handed):
    handed.hand_in(1, "{}", "first")
    handed.hand_in(2, "{}", "second")
    made = handed.collect("{}", "third")
    assert (made.written, len(made.notes)) == (0, 1) and "is not in the exchange" in made.notes[0]
    assert handed.collect("{}", "first").written == 1


def test_what_is_not_in_the_exchange_is_one_line_for_each_set(tmp_path):
    """A set that came another way is no news about each of its learners."""
    (tmp_path / "exchange" / "c" / "inbound").mkdir(parents=True)
    for student in ("ada", "ben", "cyd"):
        for name in ("ps1", "ps2"):
            place = tmp_path / "in" / student / name
            place.mkdir(parents=True)
            (place / f"{name}.ipynb").write_text("{}")
    where = (tmp_path / "in", tmp_path / "exchange", "c")
    sets = {name: {name: {}} for name in ("ps1", "ps2")}
    assert stamps.write_receipts(*where, sets).notes == [
        f"{name}: what was collected is not in the exchange, from ada, ben, cyd." for name in sets
    ]
    (only,) = stamps.write_receipts(*where, {"ps1": {"ps1": {}}}).notes
    assert only.startswith("ps1")


def test_receipts_of_the_sets_that_were_handed_in(in_small_course, small_course, tmp_path):
    """Work on ps99 prints no line on another set; a set that is named is looked for."""
    hand_in(tmp_path / "in", "ada", answered(small_course))
    place = tmp_path / "exchange" / COURSE_ID / "inbound" / f"ada+{NAME}+2026-01-01 00:00:00 UTC+x"
    shutil.copytree(tmp_path / "in" / "ada" / NAME, place)
    given = ["--submitted", tmp_path / "in", "--exchange", tmp_path / "exchange"]
    for named in ([], [NAME]):
        code, output = run_command("receipts", *named, *given)
        assert code == 0 and "1 receipts" in output, output
    code, output = run_command("receipts", "ps00-none", *given)
    assert code == 2 and "problem_set is 'ps00-none'" in output


# -- zips ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def returned(small_course, tmp_path_factory):
    """A graded class of three; cyd's answer awaits marking, the others have nothing written."""
    folder = tmp_path_factory.mktemp("returned")
    blank = "YOUR ANSWER HERE\n"
    notebooks = {
        "ada": answered(small_course, explain=blank),
        "ben": answered(small_course, double="double = abs", explain=blank),
        "cyd": answered(small_course),
    }
    for name, notebook in notebooks.items():
        hand_in(folder / "in", name, notebook)
    report = grade(folder / "in", folder / "out", small_course)
    return report, folder, GradingFolder(folder / "out", small_course, NAME)


def download(folder, names):
    """A zip of submissions, each under the name that a platform gives it."""
    path = folder / "submissions.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, place in names:
            file.write(folder / "in" / name / NAME / f"{NAME}.ipynb", place)
    return path


def test_a_zip_for_canvas_has_the_names_that_it_gave(returned):
    report, folder, place = returned
    names = {
        "ada": f"loveada_17_4321_{NAME}.ipynb",
        "ben": f"ben_LATE_18_4322_{NAME}-1.ipynb",
        "cyd": f"charissec_19_4323_{NAME}.ipynb",
    }
    path = download(folder, names.items())
    made = returning.write_zip("canvas", path, report, {"ada": {"ID": "17"}}, place)
    assert made.students == ["ada", "ben"]
    assert (made.absent, made.provisional) == ([], ["cyd"])
    with zipfile.ZipFile(made.path) as file:
        assert sorted(file.namelist()) == sorted([names["ada"], names["ben"]])
        page = nbformat.reads(file.read(names["ben"]).decode(), as_version=4)
    nbformat.validate(page)
    assert page.cells[0].source.startswith(f"# {NAME}: 5 of 13 points")
    assert "double(3) should be 6, but it is 3" in page.cells[0].source
    text = nbformat.writes(page)
    for secret in ("secret_number", "169", "the instructor's way", "nbgrader"):
        assert secret not in text, secret
    with_provisional = returning.write_zip("canvas", path, report, {}, place, provisional=True)
    assert with_provisional.students == ["ada", "ben", "cyd"]


def test_a_zip_for_moodle_has_the_folders_that_it_gave(returned):
    report, folder, place = returned
    names = {
        "ada": f"Ada Love_412_assignsubmission_file/{NAME}.ipynb",
        "ben": f"ben_413_assignsubmission_file_/{NAME}.ipynb",
    }
    path = download(folder, names.items())
    made = returning.write_zip("moodle", path, report, {"ada": {"Full name": "Ada Love"}}, place)
    assert (made.students, made.absent) == (["ada", "ben"], ["cyd"])
    with zipfile.ZipFile(made.path) as file:
        pages = {name: file.read(name).decode() for name in file.namelist()}
    # As mod/assign/feedback/file/importziplib.php reads a path: name, number, plugin, file.
    for name, number in (("Ada Love", 412), ("ben", 413)):
        assert f"{name}_{number}_assignsubmission_file/{NAME}.html" in pages
    assert "10 of 13 points" in pages[f"Ada Love_412_assignsubmission_file/{NAME}.html"]


def test_who_takes_anothers_name_does_not_get_their_page(returned):
    """ben calls himself ada on the platform, as the folder of hers is called."""
    report, folder, place = returned
    names = {"ben": f"ada_413_assignsubmission_file_/{NAME}.ipynb"}
    names["ada"] = f"Ada Love_412_assignsubmission_file_/{NAME}.ipynb"
    made = returning.write_zip("moodle", download(folder, names.items()), report, {}, place)
    with zipfile.ZipFile(made.path) as file:
        pages = {name: file.read(name).decode() for name in file.namelist()}
    assert "5 of 13 points" in pages[f"ada_413_assignsubmission_file/{NAME}.html"]
    assert "10 of 13 points" in pages[f"Ada Love_412_assignsubmission_file/{NAME}.html"]


def test_the_same_file_from_two_learners_is_nobodys(returned):
    """Without a column in the roster it is not guessed whose it is."""
    report, folder, place = returned
    path = download(folder, [("ada", "x_1_11_a.ipynb"), ("ada", "y_2_12_a.ipynb")])
    made = returning.write_zip("canvas", path, report, {}, place)
    assert (made.students, made.absent) == ([], ["ada", "ben", "cyd"])


@pytest.mark.parametrize("content", [b"", b"no zip", None])
def test_what_is_no_download_is_said_in_a_line(returned, content, tmp_path):
    report, folder, place = returned
    path = tmp_path / "x.zip"
    if content is None:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("ada/x.ipynb", "{}")
    else:
        path.write_bytes(content)
    message = "cannot be read as a zip" if content is not None else "has no notebook named as in"
    with pytest.raises(ValueError, match=message):
        returning.write_zip("canvas", path, report, {}, place)
    with pytest.raises(ValueError, match="export is 'olat', but it must be one of"):
        returning.write_zip("olat", path, Report(NAME, {}), {}, place)
