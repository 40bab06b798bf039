"""Files that are handed in beside a notebook: taken in, refused with a reason, never run."""

import io
import pickle
import shutil
from types import SimpleNamespace

import nbformat
import pytest
import torch
from safetensors.torch import save
from weighted_set import FILE, NAME, ZEROS, grade, hand_in, make_course, weights

from nbjudge.desk.check import check
from nbjudge.inside.messages import Malformed
from nbjudge.intake import enclosures
from nbjudge.intake.find import take_in
from nbjudge.judge import Job
from nbjudge.report.leaderboard import drawing, leaderboard, write_leaderboard
from nbjudge.run.parcels import pack_job, unpack_job

pytestmark = [
    pytest.mark.usefixtures("one_nursery"),
    pytest.mark.thorough("grading of small classes"),
]

SUFFIX = ".safetensors"


class Trap:
    """Whoever unpickles one of these writes a file."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def torch_saved(thing) -> bytes:
    file = io.BytesIO()
    torch.save(thing, file)
    return file.getvalue()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def graded(course, tmp_path_factory):
    """A class in which everybody hands in another file."""
    folder = tmp_path_factory.mktemp("class")
    submitted, into, sprung = folder / "submitted", folder / "graded", folder / "sprung"
    files = {
        "ada": weights(),
        "boris": weights(0.25),
        "missing": None,
        "large": save({"weight": torch.randn(1, 700)}),
        "pickle": pickle.dumps(Trap(sprung)),
        "zip": torch_saved({"weight": Trap(sprung)}),
        "cut-off": weights()[:-4],
        "wide": save({"weight": torch.ones(1, 3)}),
        "other-names": save({"w": torch.ones(1, 2)}),
    }
    for student, content in files.items():
        hand_in(course, submitted, student, content)
    hand_in(course, submitted, "zeros", weights(), ZEROS)
    linked = hand_in(course, submitted, "linked", None)
    (linked / FILE).symlink_to(submitted / "ada" / NAME / FILE)
    (submitted / "boris" / NAME / "more.safetensors").write_bytes(weights())
    renamed = hand_in(course, submitted, "renamed", None)
    (renamed / "line-1.safetensors").write_bytes(weights())
    two = hand_in(course, submitted, "two", None)
    for number in (1, 2):
        (two / f"line-{number}.safetensors").write_bytes(weights())
    report = grade(submitted, into, course)
    assert not report.unfinished
    return SimpleNamespace(report=report, submitted=submitted, into=into, sprung=sprung)


def test_the_release_does_not_hold_the_instructors_file(course):
    folder = course / "notebooks" / "assignments" / NAME
    assert [path.name for path in folder.iterdir()] == [f"{NAME}.ipynb"]


@pytest.mark.parametrize("student", ["ada", "boris"])
def test_a_file_that_fits_is_graded_by_what_is_in_it(graded, student):
    result = graded.report.students[student]
    assert result.score == result.max_score == 6
    measured = result.tests["line--values"].measured
    assert measured == {"slope": {"ada": 2.0, "boris": 0.25}[student], "numbers": 2.0}


@pytest.mark.parametrize(
    ("student", "message"),
    [
        ("missing", f"{FILE} was not handed in"),
        (
            "two",
            f"{FILE} is missing, and it is not clear which of line-1.safetensors, "
            "line-2.safetensors counts",
        ),
        ("large", f"{FILE} is 3 kB, over the limit of 2 kB"),
        ("pickle", f"{FILE} is a pickle. Only safetensors are read: write it with "),
        ("zip", f"{FILE} is a zip, such as torch.save writes, with a pickle in it."),
        ("cut-off", f"{FILE} is cut off or damaged"),
        ("linked", f"{FILE} is a link, and links are not followed"),
    ],
)
def test_a_file_that_is_refused_costs_its_points_and_says_why(graded, student, message):
    result = graded.report.students[student]
    assert result.score == 0
    assert any(flag.startswith(message) for flag in result.flags), result.flags
    for test in result.tests.values():
        assert test.message.startswith(message)
    assert bool(result.held) == (student != "missing"), "final only if there is nothing like it"
    ran = nbformat.read(graded.into / "autograded" / student / NAME / f"{NAME}.ipynb", 4)
    assert [cell.outputs for cell in ran.cells if cell.id == "open"] == [[]]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (f"{NAME}/line.pt", "is missing, but there is line.pt"),
        (f"{NAME}/{FILE}.txt", f"is missing, but there is {FILE}.txt"),
        (f"{NAME}/Line (1).zip", "is missing, but there is Line (1).zip"),
        (f"{NAME}/weights/{FILE}", f"is missing, but there is weights/{FILE}"),
        (f"my weights/x{SUFFIX}", f"is missing, but there is ../my weights/x{SUFFIX}"),
        (FILE, f"is missing, but there is ../{FILE}"),
        (f"{NAME}/._{FILE}", enclosures.MISSING),
        (f"{NAME}/outline.pt", enclosures.MISSING),
        (f"ps97-other/{FILE}", enclosures.MISSING),
    ],
)
def test_what_may_be_meant_as_the_file_is_named(course, tmp_path, place, message):
    hand_in(course, tmp_path, "ada", None)
    path = tmp_path / "ada" / place
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(weights())
    submission = take_in(tmp_path / "ada", NAME, wanted={FILE: 2}, sets=[NAME, "ps97-other"])
    assert submission.content and submission.refused == {FILE: message}


@pytest.mark.parametrize(
    ("student", "message"),
    [
        ("wide", "size mismatch for weight: copying a param with shape torch.Size"),
        ("other-names", 'Missing key(s) in state_dict: "weight"'),
    ],
)
def test_shapes_and_names_that_do_not_fit_are_told(graded, student, message):
    result = graded.report.students[student]
    assert result.score == 0
    assert message in result.tests["line--values"].message


def test_nothing_is_unpickled(graded):
    assert not graded.sprung.exists()


def test_points_that_wait_are_weighed_with_the_instructors_file(graded):
    """Zeros are the same in each row: this test's points wait for one of values."""
    result = graded.report.students["zeros"]
    assert result.score == 0
    assert "its points count as soon as" in result.tests["line--same"].message


def test_other_files_are_left_out_and_said_so(graded):
    result = graded.report.students["boris"]
    assert f"left out, only the notebook and {FILE} are graded: more.safetensors" in result.flags


def test_a_file_that_was_given_another_name_is_taken_and_said_so(graded):
    result = graded.report.students["renamed"]
    assert result.score == 6
    assert f"{FILE} is called 'line-1.safetensors'" in result.flags
    assert not result.left_out


def test_a_new_file_is_graded_and_the_same_one_is_not(graded, course, tmp_path):
    submitted, into = tmp_path / "submitted", tmp_path / "graded"
    shutil.copytree(graded.submitted / "ada", submitted / "ada")
    assert grade(submitted, into, course).executed == ["ada"]
    assert grade(submitted, into, course).executed == []
    (submitted / "ada" / NAME / FILE).write_bytes(weights(3.0))
    again = grade(submitted, into, course)
    assert again.executed == ["ada"]
    assert again.students["ada"].tests["line--values"].measured["slope"] == 3.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, f"{FILE} is missing: train a model"),
        (save({"weight": torch.randn(1, 700)}), f"{FILE} is 3 kB, over the limit of 2 kB"),
        (pickle.dumps({"weight": 1}), f"{FILE} is a pickle."),
    ],
)
def test_a_learners_own_check_says_the_same(course, tmp_path, content, message):
    folder = hand_in(course, tmp_path, "me", content)
    by_name = {test.name: test for test in check(folder, course=course).tests}
    assert by_name["line--values"].hint.startswith(message)


def test_a_learners_own_check_passes_with_a_file_that_fits(course, tmp_path):
    folder = hand_in(course, tmp_path, "me", weights())
    checked = check(folder, course=course)
    assert [test.verdict for test in checked.tests] == ["passed", "passed"], checked.tests


def test_the_leaderboard_ranks_by_what_was_measured(graded):
    board = leaderboard(NAME, graded.into)
    assert (board.ranked, board.against) == ("slope", "numbers")
    assert [(row.place, row.name) for row in board.rows] == [
        (1, "ada"),
        (1, "renamed"),
        (3, "boris"),
    ]
    assert board.without == len(graded.report.students) - 3
    path = write_leaderboard(board, graded.into)
    page = path.read_text("utf-8")
    assert path == graded.into / "leaderboard" / f"{NAME}.html"
    assert page.count("<circle") == 3 and "ada" in page and "<script" not in page
    assert path.with_suffix(".svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(ValueError, match="by is 'depth', but it must be one of: slope, numbers"):
        leaderboard(NAME, graded.into, by="depth")
    with pytest.raises(ValueError, match="graded there: ps98-weights"):
        leaderboard("ps97", graded.into)


def test_ids_stand_for_names_and_stay_the_same(graded, tmp_path):
    into = tmp_path / "graded"
    into.mkdir()
    shutil.copy(graded.into / "report.json", into)
    board = leaderboard(NAME, into, anonymous=True)
    page = write_leaderboard(board, into).read_text("utf-8")
    assert not any(f">{name}<" in page or f">{name}:" in page for name in graded.report.students)
    ids = dict(line.split(",") for line in (into / "leaderboard" / "ids.csv").read_text().split())
    *equal, last = [row.name for row in board.rows]
    assert (set(equal), last) == ({ids['"ada"'], ids['"renamed"']}, ids['"boris"'])
    again = leaderboard(NAME, into, anonymous=True)
    assert again == board


def test_a_drawing_has_room_for_any_numbers(graded):
    board = leaderboard(NAME, graded.into)
    for slopes in ([1.0], [0.0, 0.0], [1e-3, 5e4], [-2.0, 3.0]):
        rows = [
            board.rows[0].__class__(i, "x", 1.0, {"slope": s, "numbers": s})
            for i, s in enumerate(slopes)
        ]
        drawn = drawing(board.__class__(NAME, "slope", "numbers", rows, 1.0, 0))
        frame = drawn["frame"]
        assert all(frame["left"] <= x <= frame["right"] for x, _, _ in drawn["dots"])
        assert all(frame["top"] <= y <= frame["bottom"] for _, y, _ in drawn["dots"])
        assert drawn["x_ticks"] and drawn["y_ticks"]


@pytest.mark.parametrize(
    "call", ["enclosed(name, kilobytes=2)", "enclosed('a.pt', kilobytes=2)", "enclosed('a')"]
)
def test_a_declaration_must_be_written_out(call):
    cell = nbformat.v4.new_code_cell(f"weights = {call}")
    cell.metadata["nbgrader"] = {"grade_id": "setup", "locked": True, "solution": False}
    with pytest.raises(ValueError, match=r"^setup: enclosed\(\.\.\.\): "):
        enclosures.declared(nbformat.v4.new_notebook(cells=[cell]))


def test_files_travel_in_a_parcel_and_are_held_to_their_types():
    job = Job("ada", b"{}", 1, enclosed={FILE: b"x"}, refused={"b": "why"}, accepts={"t": "zeros"})
    unpacked = unpack_job(pack_job(job), {"data.csv": b"1"})
    assert (unpacked.enclosed, unpacked.refused, unpacked.accepts) == (
        job.enclosed,
        job.refused,
        job.accepts,
    )
    assert unpacked.readable == {"data.csv": b"1", "b": b"", FILE: b"x"}
    wrong = Job("ada", b"{}", 1, enclosed={FILE: "text"})
    with pytest.raises(Malformed, match=r"Expected `bytes`, got `str` - at `\$.enclosed"):
        unpack_job(pack_job(wrong), {})
