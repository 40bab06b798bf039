"""Two learners and an instructor do a whole problem set on the hub that `make hub` starts."""

import csv
import re
from pathlib import Path

import pytest
from small_hub import PROXY, Person, running_hub
from small_set import NAME, SANDBOXED

from nbjudge.desk.progress import START

ANSWERS = {
    "ada": "def double(x):\n    return x + x\n",
    "ben": "def double(x):\n    return x * x\n",
}
POINTS = {"ada": "5", "ben": "0"}


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    pytest.importorskip("jupyterhub", reason="needs: pip install -e '.[hub]'")
    if not PROXY.is_dir():
        pytest.skip("needs JupyterHub's proxy: make node_modules/.ready")
    with running_hub(tmp_path_factory.mktemp("hub")) as running:
        yield running


def fetch_and_open(learner: Person) -> None:
    """Fetch the set, and open its notebook from the list."""
    released = learner.assignments("released")
    released.get_by_role("button", name="Fetch").click()
    fetched = learner.page.locator("#fetched_assignments_list")
    fetched.locator("a.assignment-notebooks-link", has_text=NAME).click()
    fetched.locator(".nested_list_item a", has_text=NAME).click()


def submit(learner: Person) -> None:
    learner.assignments("fetched").get_by_role("button", name="Submit").click()
    learner.page.locator("#submitted_assignments_list .nested_list_item").wait_for()


def feedback_of(learner: Person) -> str:
    """The page that a learner fetches and then opens from the list of files."""
    submitted = learner.assignments("submitted")
    submitted.get_by_role("button", name="Fetch Feedback").click()
    submitted.locator("a", has_text="view feedback").click()
    learner.page.locator(".jp-DirListing-item", has_text=f"{NAME}.html").dblclick()
    page = learner.page.frame_locator(".jp-HTMLViewer iframe")
    return page.locator("h1").inner_text()


@pytest.mark.thorough("problem set on a hub, in a browser")
@pytest.mark.timeout(1200)  # three people at once, on a machine that tests other things too
def test_a_problem_set_goes_from_its_release_to_its_feedback(hub, chromium):
    with (
        Person(chromium, hub, "teacher") as teacher,
        Person(chromium, hub, "ada") as ada,
        Person(chromium, hub, "ben") as ben,
    ):
        teacher.type(
            f"tfcourse release {NAME}", f"nbgrader release_assignment {NAME}", into="release"
        )

        assert ada.page.locator(".jp-MarkdownViewer h1").inner_text().startswith("Start here")
        for learner in (ada, ben):
            fetch_and_open(learner)
            learner.answer("def double(x)", ANSWERS[learner.home.name])
        ada.menu("Run", "Run All Cells")
        points = ada.page.locator(".jp-OutputArea-output", has_text="points so far")
        assert "2 of 13 points so far" in points.inner_text()
        ada.page.keyboard.press("Control+S")
        checked = ben.type(f"tfcourse check assignments/{NAME} || true", into="check")
        assert "double(3) should be 6, but it is 9" in checked
        for learner in (ada, ben):
            submit(learner)

        sandbox = "" if SANDBOXED else " --no-sandbox"
        teacher.type(
            'tfcourse collect exchange "$COURSE_EXCHANGE"',
            f"tfcourse grade {NAME} --submitted submitted --into graded --workers 1{sandbox}",
            "cd graded",
            f"nbgrader release_feedback {NAME}",
            into="grading",
        )
        with (teacher.home / "course/graded/grades.csv").open() as table:
            scores = {row["student"]: row["score"] for row in csv.DictReader(table)}
        assert scores == POINTS

        for learner in (ada, ben):
            assert f"{POINTS[learner.home.name]} of 13 points" in feedback_of(learner)

    for learner in (ada, ben):
        assert holds(learner.home, "the instructor's way") == []
        assert (learner.home / "work" / START).is_file()
    assert holds(hub.folder / "course", "the instructor's way") == []


def holds(folder: Path, text: str) -> list[Path]:
    """The files in a folder that hold a text."""
    return [path for path in folder.rglob("*") if path.is_file() and text in _text(path)]


def _text(path: Path) -> str:
    return re.sub(r"\s+", " ", path.read_bytes().decode("utf-8", "replace"))
