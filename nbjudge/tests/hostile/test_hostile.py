"""A hostile class, graded once among honest learners: nobody gains, nobody else loses."""

import hashlib
import re
import resource
import sqlite3
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from time import process_time
from types import SimpleNamespace

import corpus
import nbformat
import psutil
import pytest
import target_set
from made_course import release_in

from nbjudge.files import PACKAGE
from nbjudge.intake.release import make_release
from nbjudge.judge import Limits
from nbjudge.run import engine

ATTACKS = corpus.attacks()

#: Honest, and graded before, among and after the others; each name a worker may get at any time.
NEIGHBOURS = ("a-neighbour", "j-neighbour", "z-neighbour")

#: What a page would hold if a learner's text were not shown as text.
RUNS = re.compile(r"<script>alert|<img src=x|<svg[ /]on|href=.javascript:", re.IGNORECASE)


#: What learners' Markdown may become: words, lists, tables, links to a heading, marked-up code.
_WORDS = """
a b blockquote br code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i li ol p pre s span strong sub sup
table tbody td th thead tr ul
"""
TAGS = frozenset(_WORDS.split())


class _Running(HTMLParser):
    """Collects from HTML what a browser would run or fetch, or may."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS:
            self.found.append(tag)
        for name, value in attrs:
            address = re.sub(r"[\x00-\x20]", "", value or "").lower()
            aligns = name == "style" and address.startswith("text-align:") and ";" not in address
            runs = name.startswith("on") or name in ("src", "srcdoc", "action")
            runs = runs or (name == "style" and not aligns)
            # Whatever begins as an address with a scheme does: `javascript:`, `data:`.
            leads = name.endswith("href") and re.match(r"[a-z][a-z0-9+.-]*:(?!//)", address)
            draws = name == "class" and "mermaid" in (value or "").split()
            if runs or leads or draws:
                self.found.append(f"{tag} {name}={value}")

    def handle_other(self, text):
        # Where one of these ends a browser may see otherwise.
        self.found.append(text)

    handle_comment = handle_decl = handle_pi = unknown_decl = handle_other


def running(html: str) -> list[str]:
    """What in a page's part would run in a browser, as its parser reads it and not as text."""
    parser = _Running()
    parser.feed(html)
    parser.close()
    return parser.found


def _tree(*folders: Path) -> dict[str, str]:
    """Every regular file in these folders, and what it holds."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
    }


def _peak() -> float:
    """The most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.fixture(scope="module")
def graded(tmp_path_factory, request) -> SimpleNamespace:
    """The class, graded by two workers: the attacks whose tests run, or all."""
    asked = [getattr(item, "callspec", None) for item in request.session.items]
    asked = [spec.params.get("attack") for spec in asked if spec]
    attacks = [attack for attack in ATTACKS if attack in asked] or ATTACKS
    folder = tmp_path_factory.mktemp("hostile")
    course = target_set.make_course(folder / "course")
    make_release(target_set.NAME, course)
    release = release_in(course, target_set.NAME)
    submitted = folder / "submitted"
    for name in NEIGHBOURS:
        place = submitted / name / target_set.NAME
        place.mkdir(parents=True)
        right = target_set.answered(release, target_set.RIGHT)
        (place / f"{target_set.NAME}.ipynb").write_text(nbformat.writes(right))
        target_set.enclose(place)
    for attack in attacks:
        attack.hand_in(submitted, release)
    before = _tree(course, submitted, PACKAGE)
    run = partial(
        engine.grade,
        target_set.NAME,
        submitted,
        folder / "graded",
        course=course,
        workers=2,
        limits=Limits(
            call_seconds=1.5,
            cell_seconds=2.5,
            submission_seconds=10,
            memory_mb=700,
            scratch_mb=32,
            processes=48,
        ),
    )
    peak = _peak()
    report = run()
    after = _tree(course, submitted, PACKAGE)
    return SimpleNamespace(
        peak=peak,
        attacks=attacks,
        report=report,
        into=folder / "graded",
        before=before,
        after=after,
        again=run,
    )


def report_on(student) -> str:
    """All that the report says of a student."""
    messages = [test.message for test in student.tests.values()]
    seen = [note for test in student.tests.values() for note in test.seen]
    return "\n".join([*student.flags, *messages, *seen])


@pytest.mark.case_of("attack")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_gains_nothing_and_is_told_of(graded, attack):
    result = graded.report.students[attack.name]
    assert result.score <= attack.honest, report_on(result)
    assert re.search(attack.seen, report_on(result)), report_on(result)
    assert max(len(flag) for flag in [*result.flags, ""]) < 1000
    assert len(result.flags) < 20


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_have_what_they_earned(graded, name):
    result = graded.report.students[name]
    assert (result.score, result.max_score) == (24, 24)
    assert result.flags == []


def test_the_run_goes_on_to_its_end(graded):
    names = {*NEIGHBOURS, *(attack.name for attack in graded.attacks)}
    assert set(graded.report.students) == names
    assert graded.report.unfinished == []
    assert len(graded.report.executed) == len(set(graded.report.executed))


def test_the_gradebook_holds_the_machines_marks_and_no_others(graded):
    book = sqlite3.connect(graded.into / "gradebook.db")
    assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert book.execute("SELECT count(*) FROM grade WHERE manual_score IS NOT NULL").fetchone() == (
        0,
    )
    rows = book.execute(
        "SELECT student.id, sum(grade.auto_score) FROM student "
        "JOIN submitted_assignment ON submitted_assignment.student_id = student.id "
        "JOIN submitted_notebook ON submitted_notebook.assignment_id = submitted_assignment.id "
        "JOIN grade ON grade.notebook_id = submitted_notebook.id GROUP BY student.id"
    ).fetchall()
    scores = {name: student.score for name, student in graded.report.students.items()}
    assert {name: score for name, score in rows if score} == {
        name: score for name, score in scores.items() if score
    }


def test_nothing_was_changed_and_nothing_was_left(graded):
    assert graded.after == graded.before
    for place in ("/tmp", "/dev/shm", "/var/tmp"):
        assert not [path.name for path in Path(place).glob("hostile-*") if path.is_file()]
    names = {process.info["name"] for process in psutil.process_iter(["name"])}
    assert "hostile-daemon" not in names


def test_no_page_runs_what_a_learner_wrote(graded):
    pages = [*graded.into.rglob("*.html"), graded.into / "grades.csv"]
    assert len(pages) > len(graded.attacks)
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not RUNS.search(text), page
        assert len(text) < 15_000_000, page


def test_no_submission_leaves_much_behind_or_takes_much_to_read(graded):
    """495 pictures once left 1.4 GB and took 3.5 GB; a long name 9.9 GB."""
    for attack in graded.attacks:
        left = sum(p.stat().st_size for p in graded.into.glob(f"*/{attack.name}/*/*"))
        assert left < 50 * 2**20, attack.name
    assert (graded.into / "ledger.db").stat().st_size < 400 * 2**20
    # Other tests may have taken as much in this process before.
    assert _peak() <= max(1500, graded.peak), "MiB of the process that grades, and of the class"


def test_what_was_too_much_is_not_tried_again(graded, monkeypatch):
    """A second run repeats nothing, and does not stop."""
    monkeypatch.setattr(engine, "judge_all", lambda *_, **__: pytest.fail("something was judged"))
    again = graded.again()
    assert again.executed == []
    assert again.unfinished == []
    for name, student in graded.report.students.items():
        assert (again.students[name].score, again.students[name].flags) == (
            student.score,
            student.flags,
        )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<p><img src=x onerror=alert(1)></p>",
        '<h1 id="a"onclick="alert(1)">a</h1>',
        "<svg></svg>",
        '<iframe src="x"></iframe>',
        '<a href=" java\nscript:alert(1)">a</a>',
        '<a href="&#106;avascript:alert(1)">a</a>',
        '<a xlink:href="data:text/html,x">a</a>',
        '<p style="position: fixed">a</p>',
        '<div class="x mermaid">a</div>',
        "<!--> <p>a</p> -->",
    ],
)
def test_what_would_run_is_found_in_html(text):
    assert running(text)


def test_text_and_quoted_values_do_not_run():
    quoted = 'id="a-%3Cimg-onerror=alert(1)%3E" title="<script>alert(1)</script>"'
    assert running(f'<h1 {quoted}>&lt;img onerror=x&gt;<a href="#x:y">a</a></h1>') == []


def test_no_notebook_that_is_kept_runs_what_a_learner_wrote(graded):
    """As nbgrader's formgrader shows them: their Markdown becomes a part of its page."""
    from nbconvert.filters import markdown2html

    kept = [*graded.into.glob("submitted/*/*/*.ipynb"), *graded.into.glob("autograded/*/*/*.ipynb")]
    assert len(kept) > len(graded.attacks)
    source = nbformat.read(next(graded.into.glob("source/*/*.ipynb")), as_version=4)
    plain = {cell.id: cell.source for cell in source.cells if not cell.metadata.get("nbgrader")}
    assert plain
    for path in kept:
        notebook = nbformat.read(path, as_version=4)
        text = "".join(markdown2html(c.source) for c in notebook.cells if c.cell_type == "markdown")
        assert running(text) == [], path
        assert not re.search(r"\\(href|mmlToken)", text), path
        assert {c.id: c.source for c in notebook.cells if c.id in plain} == plain, path


@pytest.mark.thorough("attack")
def test_a_page_shows_no_picture_that_a_browser_cannot(graded):
    page = (graded.into / "feedback/exhausts_the_browser" / target_set.NAME).glob("*.html")
    assert "<img" not in next(page).read_text(encoding="utf-8")


@pytest.mark.thorough("attack")
def test_how_a_process_ends_tells_nothing_of_a_hidden_test(graded):
    assert "exit code" not in report_on(graded.report.students["lies_how_it_ended"])


@pytest.mark.thorough("attack")
@pytest.mark.parametrize("name", ["peeks_by_locks", "peeks_by_what_copies_share"])
def test_no_page_says_what_a_hidden_test_passes_in(graded, name):
    page = next((graded.into / "feedback" / name / target_set.NAME).glob("*.html"))
    carried = re.findall(r"carried over (\d+)", page.read_text(encoding="utf-8"))
    assert set(carried) == {"0"}


@pytest.mark.thorough("attack")
def test_cells_that_put_out_much_do_not_hang_the_kernel(graded):
    """A kernel that is interrupted in the middle of a flood may have to be replaced."""
    assert "hung Python" not in report_on(graded.report.students["exhausts_the_flags"])


@pytest.mark.thorough("attack")
def test_a_marker_does_not_wait_for_a_page(graded):
    """The formgrader makes its page of the notebook that is kept."""
    from nbconvert.filters import markdown2html
    from nbconvert.filters.highlight import Highlight2HTML

    place = graded.into / "autograded/exhausts_the_marking_page" / target_set.NAME
    notebook = nbformat.read(place / f"{target_set.NAME}.ipynb", as_version=4)
    assert sum(len(cell.source) for cell in notebook.cells) > 100_000
    colours = Highlight2HTML(pygments_lexer="ipython3")
    began = process_time()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            colours(cell.source, metadata=cell.metadata)
        else:
            markdown2html(cell.source)
    assert process_time() - began < 10


def test_every_kind_of_attack_is_there():
    assert {attack.kind for attack in ATTACKS} == set(corpus.KINDS)
    assert len(ATTACKS) >= 60
    tried = [attack.tries for attack in ATTACKS]
    assert len(set(tried)) == len(tried)
