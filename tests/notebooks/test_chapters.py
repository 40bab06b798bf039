"""Every lesson and its evidence are re-run and compared, keep to their budget and to their form."""

import copy
import json
import os
import re
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from forked import Forks, Ran

from coursebook import claims, course, executor, hygiene, numerics
from coursebook.drawn import FIGURE_CONTENT
from coursebook.sphinx.claims import read_ledger, stated
from nbjudge.intake import first_cell

ROOT = course.root(Path(__file__).parent)
CHAPTERS = course.chapter_paths(ROOT)
EVIDENCE = course.evidence_paths(ROOT)
names = [path.stem for path in CHAPTERS]
each_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=names)
each_notebook = pytest.mark.parametrize(
    "path",
    [*CHAPTERS, *EVIDENCE],
    ids=[*names, *(f"{course.lesson_of(path).name}-evidence" for path in EVIDENCE)],
)
#: Chapters about which the lectures claim something.
CLAIMED = {entry["chapter"] for entry in claims.read_claims(ROOT).values()}
#: Lessons whose audit has moved to their evidence, or that have no claim to audit. They have the
#: form that all are to have.
LESSONS = [
    path
    for path in CHAPTERS
    if course.lesson_of(path).evidence.is_file() or path.stem not in CLAIMED
]
each_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
#: Seconds of CPU for a lesson and its evidence together.
TOGETHER = {"04-alignment": 70, "09-decoder": 110, "10-encoder": 120, "11-encoder-decoder": 120}


OURS = {"TFCOURSE_ROOT": str(ROOT), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


def forks_for(arithmetic: str = "stored") -> Forks:
    """What runs nbval in the chapters' environment."""
    return Forks({**os.environ, **executor.environment(arithmetic), **OURS})


@pytest.fixture(scope="session")
def nbval() -> Iterator[Callable[..., Ran]]:
    """A function that runs nbval, strict within the cells' bands, in the chapters' environment."""
    forks: dict[str, Forks] = {}

    def run(path: Path, arithmetic: str = "stored") -> Ran:
        if arithmetic not in forks:
            forks[arithmetic] = forks_for(arithmetic)
        return forks[arithmetic].run(path)

    yield run
    for each in forks.values():
        each.close()


@each_chapter
def test_a_lesson_shows_no_bookkeeping(path):
    """No comment for a formatter in code that is not folded; no line about the machine."""
    for cell in nbformat.read(path, as_version=4).cells:
        tags = cell.metadata.get("tags", [])
        if cell.cell_type == "code" and not {"hide-input", "remove-cell"} & set(tags):
            assert "# fmt:" not in cell.source, cell.id
        printed = "".join(one.get("text", "") for one in cell.get("outputs", []))
        assert "thread(s)" not in printed, f"{cell.id}: the record and the evidence hold this"


def test_there_are_chapters():
    assert "05-self-attention" in names


@pytest.mark.case_of("chapter")
@pytest.mark.timeout(3600)
@each_notebook
def test_stored_outputs_are_what_the_cells_print(path, record_property, nbval):
    result = nbval(path)
    seconds = result.seconds
    again = f"If you have changed the lesson: tfcourse chapter {path.relative_to(ROOT)}"
    assert result.returncode == 0, f"{result.stdout[-6000:]}\n{again}"
    budget = executor.budget_seconds(nbformat.read(path, as_version=4))
    record_property("chapter", f"{course.short_name(path)}: {seconds:.0f} s of {budget:.0f} s")
    assert seconds < 3 * budget, f"{seconds:.0f} s, the chapter's budget is {budget:.0f} s"


@pytest.mark.numerics("run of a chapter in another arithmetic")
@pytest.mark.case_of("chapter")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("arithmetic", numerics.available()[1:])
@each_notebook
def test_outputs_survive_another_arithmetic(path, arithmetic, nbval):
    result = nbval(path, arithmetic)
    assert result.returncode == 0, result.stdout[-6000:]


@each_notebook
def test_hygiene(path):
    notebook = nbformat.read(path, as_version=4)
    assert hygiene.problems(notebook) == []
    installs = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert installs.source == first_cell.first_cell(ROOT, graded=False).source, (
        "the course's address changed: python -m nbjudge.intake.first_cell notebooks/*.ipynb"
    )
    assert path.stat().st_size < 1_500_000


@each_notebook
def test_every_verdict_is_readable(path):
    notebook = nbformat.read(path, as_version=4)
    tagged = [c for c in notebook.cells if "claim" in c.metadata.get("tags", [])]
    assert bool(tagged) != (path in LESSONS), "claims are tested in the evidence if there is one"
    for cell in tagged:
        text = "".join(o.text for o in cell.outputs if o.output_type == "stream")
        assert claims.parse(text), f"cell {cell.id} prints no verdict: {text!r}"


def prose(path: Path) -> str:
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@each_chapter
def test_a_chapter_has_its_parts(path):
    opening = ["After this chapter you can", "## The question"]
    if path in LESSONS:
        opening = ["**You will build**", "**Time:**", "**You need**", "**Your turn.**"]
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    for part in (*opening, 'quiz("', "## What to take away", "## Sources"):
        assert part in text, f"no {part!r}"


# ---- the form of a lesson whose audit is in its evidence ----------------------------------------


@each_lesson
def test_a_lesson_and_its_evidence_keep_to_one_budget(path):
    both = [path, *(p for p in EVIDENCE if p == course.lesson_of(path).evidence)]
    budgets = [executor.budget_seconds(nbformat.read(p, as_version=4)) for p in both]
    assert sum(budgets) <= TOGETHER.get(path.stem, 60)


@each_lesson
def test_a_lesson_states_every_claim_with_its_verdict(path):
    ledger = read_ledger(ROOT)
    tested = {t.claim: t.verdict for t in ledger.tested.values() if t.chapter == path.stem}
    told = {claim: verdict for claim, verdict, _ in stated(path)}
    wrong = {claim for claim in tested | told if tested.get(claim) != told.get(claim)}
    assert not wrong, "\n".join(
        f"{claim}: the lesson says {told.get(claim)!r}, the evidence {tested.get(claim)!r}"
        for claim in sorted(wrong)
    )


@pytest.mark.parametrize("path", EVIDENCE, ids=lambda path: course.lesson_of(path).name)
def test_evidence_states_each_claim_in_the_ledgers_words(path):
    ledger, text = read_ledger(ROOT), prose(path)
    name = course.lesson_of(path).name
    claims_here = [claim for claim, found in ledger.tested.items() if found.chapter == name]
    assert claims_here
    for claim in claims_here:
        assert f"**Claim** (`{claim}`): {ledger.entries[claim]['claim']}" in text


@each_lesson
def test_a_lessons_cells_are_short_or_folded(path):
    visible = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code" or "remove-cell" in cell.metadata.get("tags", []):
            continue
        if "hide-input" in cell.metadata.get("tags", []):
            # The site and JupyterLab both fold it, and the site says what is behind the fold.
            assert cell.metadata.jupyter.source_hidden, cell.id
            assert cell.metadata.mystnb.code_prompt_show.startswith("Show "), cell.id
            assert cell.metadata.mystnb.code_prompt_hide.startswith("Hide "), cell.id
        else:
            visible.append(len([line for line in cell.source.splitlines() if line.strip()]))
    assert max(visible) <= 15
    assert statistics.median(visible) < 10


@each_lesson
def test_a_lesson_says_what_is_missing_only_where_it_turns(path):
    text = prose(path)
    turns = text.count("**What we have:**")
    assert turns == text.count("**What is missing:**")
    assert 1 <= turns <= 5
    assert text.count("<details>") == text.count("</details>") >= text.count("**Your turn.**") > 2


@each_lesson
def test_a_lesson_has_a_drawing_for_each_new_thing(path):
    drawings = [
        output
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert len(drawings) >= 8
    for drawing in drawings:  # no wider than the page, or its text is too small on a telephone
        width = float(
            re.search(r'<svg[^>]*\bwidth="([\d.]+)pt"', drawing["data"]["image/svg+xml"])[1]
        )
        assert width <= 520, drawing["data"]["text/plain"]


# ---- the gate itself: nbval must close when it should ------------------------------------------

SMALL = """
import torch
torch.manual_seed(0)
print(f"3 numbers, their sum about {torch.randn(3).sum():.3f}")
"""


@pytest.fixture(scope="module")
def small_once(tmp_path_factory) -> Path:
    """A small notebook with its outputs. Read only: tests copy it."""
    path = tmp_path_factory.mktemp("small") / "small.ipynb"
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# Small", id="title"),
            nbformat.v4.new_code_cell(SMALL.strip(), id="numbers"),
            nbformat.v4.new_code_cell(
                "import matplotlib.pyplot as plt\nfrom coursebook import plots\nplots.style()\n"
                "plt.plot([1, 3, 2])\nplt.show()\nprint({'b', 'a', 'c'})",
                id="figure",
                metadata={"mystnb": {"image": {"alt": "a line"}}},
            ),
        ]
    )
    nbformat.write(notebook, path)
    notebook, _ = executor.execute(path)
    executor.write(notebook, path)
    return path


@pytest.fixture
def small(small_once, tmp_path) -> Path:
    """A copy of the small notebook to change."""
    return Path(shutil.copy(small_once, tmp_path))


@pytest.mark.thorough("run of a changed notebook")
def test_the_gate_closes_when_one_digit_changes(small, nbval):
    assert nbval(small).returncode == 0
    notebook = nbformat.read(small, as_version=4)
    output = notebook.cells[1].outputs[0]
    digit = re.search(r"\d(?=\s*$)", output.text)
    other = str((int(digit.group()) + 1) % 10)
    output.text = output.text[: digit.start()] + other + output.text[digit.end() :]
    executor.write(notebook, small)
    result = nbval(small)
    assert result.returncode == 1, result.stdout
    assert "Cell execution caused an exception" not in result.stdout
    assert "mismatch" in result.stdout


@pytest.mark.thorough("run of a changed notebook")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends processes with their parent")
def test_nothing_goes_on_when_a_run_is_broken_off(small):
    notebook = nbformat.read(small, as_version=4)
    notebook.cells[1].source = "import time; time.sleep(600)"
    executor.write(notebook, small)
    forks = forks_for()

    def broken_off():
        with pytest.raises(ValueError):  # no answer comes
            forks.run(small)

    running = threading.Thread(target=broken_off)
    running.start()
    started: list[psutil.Process] = []
    while len(started) < 2:  # what compares, and the kernel
        time.sleep(0.1)
        if forks.process:
            started = psutil.Process(forks.process.pid).children(recursive=True)
    forks.process.kill()
    running.join()
    _, alive = psutil.wait_procs(started, timeout=60)
    assert not alive


def spoil(path: Path, cell: int, old: str, new: str, band=None) -> None:
    """Store ``new`` where the cell printed ``old``, and declare a band."""
    spoiled = nbformat.read(path, as_version=4)
    if band is not None:
        spoiled.cells[cell].metadata["tfcourse"] = {"band": band}
    for output in spoiled.cells[cell].outputs:
        if "text" in output and old in output.text:
            output.text = output.text.replace(old, new)
            break
        drawn = output.get("metadata", {}).get(FIGURE_CONTENT)
        if drawn and old in json.dumps(drawn):
            output.metadata[FIGURE_CONTENT] = json.loads(json.dumps(drawn).replace(old, new))
            break
    else:
        raise AssertionError(f"the cell shows no {old}")
    executor.write(spoiled, path)


@pytest.mark.thorough("run of a changed notebook")
@pytest.mark.parametrize(
    ("cell", "old", "new", "band", "passes"),
    [
        pytest.param(1, "-0.931", "-0.955", 0.05, True, id="inside"),
        pytest.param(1, "-0.931", "-0.995", 0.05, False, id="outside"),
        pytest.param(1, "sum", "total", 0.05, False, id="another-word"),
        pytest.param(2, "[1.0, 3.0, 2.0]", "[1.0, 2.9, 2.0]", None, False, id="another-curve"),
        pytest.param(2, "[1.0, 3.0, 2.0]", "[1.0, 2.9, 2.0]", {"figure": 0.1}, True, id="near"),
    ],
)
def test_the_gate_opens_as_far_as_the_band(small, nbval, cell, old, new, band, passes):
    spoil(small, cell, old, new, band)
    result = nbval(small)
    assert result.returncode == (0 if passes else 1), result.stdout
    assert passes or "mismatch" in result.stdout


@pytest.mark.thorough("run of a changed notebook")
def test_the_executor_refuses_what_another_arithmetic_changes(small):
    """A cell that prints which arithmetic it runs in stands for one that rounds differently."""
    notebook = nbformat.read(small, as_version=4)
    del notebook.cells[2:]
    notebook.cells[1].source = "import os; print(os.environ['MKL_CBWR'], 0.5)"
    executor.write(notebook, small)
    _, _, found = executor.execute_in_all(small)
    assert len(found) >= 3
    assert found["compatible"] == [
        "cell numbers: the words changed: 'AVX2 0.5' became 'COMPATIBLE 0.5'"
    ]
    assert found["two-threads"] == []


@pytest.mark.thorough("run of a changed notebook")
def test_the_executor_gives_the_same_bytes_twice(small):
    first = small.read_bytes()
    again, _ = executor.execute(small)
    executor.write(again, small)
    assert small.read_bytes() == first
    assert b"image/png" in first


@pytest.mark.release("test of a chapter run twice")
def test_a_chapter_gives_the_same_bytes_twice(tmp_path, monkeypatch):
    """One chapter, with its figures, stands for all: what each prints is compared above."""
    path = CHAPTERS[names.index("05-self-attention")]
    monkeypatch.setenv("TFCOURSE_ROOT", str(ROOT))
    copies = []
    for name in ("first", "second"):
        copy_of = tmp_path / name / path.name
        copy_of.parent.mkdir()
        copy_of.write_bytes(path.read_bytes())
        notebook, _ = executor.execute(copy_of)
        executor.write(notebook, copy_of)
        copies.append(copy_of.read_bytes())
    assert copies[0] == copies[1]


# ---- hygiene finds each thing it is there for --------------------------------------------------


@pytest.fixture(scope="module")
def clean(small_once, tmp_path_factory) -> nbformat.NotebookNode:
    path = Path(shutil.copy(small_once, tmp_path_factory.mktemp("clean")))
    assert first_cell.put_into_lesson(path, ROOT)
    assert not first_cell.put_into_lesson(path, ROOT), "once is enough"
    notebook = nbformat.read(path, 4)
    assert hygiene.problems(notebook) == []
    return notebook


def never_run(nb):
    nb.cells[2].execution_count = None


def out_of_order(nb):
    nb.cells[2].execution_count, nb.cells[3].execution_count = 3, 2


def no_first_cell(nb):
    del nb.cells[1]


def shown_first_cell(nb):
    nb.cells[1].metadata.pop("tags")


def same_id(nb):
    nb.cells[3].id = nb.cells[2].id


def stored_error(nb):
    nb.cells[2].outputs = [nbformat.v4.new_output("error", ename="NameError", evalue="x")]


def warning(nb):
    nb.cells[2].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="careful"))


def loose_at_the_end(nb):
    nb.cells[3].metadata["tags"] = ["nbval-ignore-output"]


def loose_verdict(nb):
    nb.cells[2].metadata["tags"] = ["nbval-ignore-output", "claim"]


def odd_tag(nb):
    nb.cells[2].metadata["tags"] = ["nbval-skip"]


def times(nb):
    nb.cells[2].metadata["execution"] = {"iopub.execute_input": "2026-01-01"}


def no_description(nb):
    nb.cells[3].metadata.pop("mystnb")


def two_titles(nb):
    nb.cells[0].source += "\n\n# Another"


def no_title(nb):
    nb.cells[0].source = "Small"


def other_kernel(nb):
    nb.metadata["kernelspec"]["name"] = "python311"


def editor_metadata(nb):
    nb.metadata["toc"] = {}


def exact_words(nb):
    nb.cells[2].metadata["tfcourse"] = {"band": 0.1}
    nb.cells[2].outputs[0].text = "loss 0.5"


def odd_band(nb):
    nb.cells[2].metadata["tfcourse"] = {"band": "wide"}


def long_line(nb):
    nb.cells[2].source += "\n# " + "x" * 90


def wide_output(nb):
    nb.cells[2].outputs = [nbformat.v4.new_output("stream", name="stdout", text="x" * 81)]


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (never_run, "not run from top to bottom"),
        (out_of_order, "not run from top to bottom"),
        (no_first_cell, "the first code cell must install the course"),
        (shown_first_cell, "cell install: it must print nothing and have the tag remove-cell"),
        (same_id, "more than one cell has the id numbers"),
        (stored_error, "ends in NameError"),
        (warning, "wrote to stderr"),
        (loose_at_the_end, "no strict cell follows"),
        (loose_verdict, "verdict must be compared"),
        (odd_tag, "unknown tag nbval-skip"),
        (times, "stores when it ran"),
        (no_description, "a figure without a description"),
        (two_titles, "there must be one title"),
        (no_title, "the first cell must be text"),
        (other_kernel, "the kernel must be python3"),
        (editor_metadata, "metadata that the executor does not write: toc"),
        (exact_words, 'neither its output nor the text beside it says "about"'),
        (odd_band, "cell numbers: band must be a number such as 0.05"),
        (long_line, "longer than 72"),
        (wide_output, "prints a line longer than 80"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_hygiene_sees(clean, spoil, told):
    notebook = nbformat.from_dict(json.loads(json.dumps(copy.deepcopy(clean))))
    spoil(notebook)
    found = hygiene.problems(notebook)
    assert any(told in problem for problem in found), found
