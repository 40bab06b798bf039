"""nbgrader's formgrader on what was graded: in a real browser, with its real server."""

import getpass
import os
import re
import socket
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from small_hub import wait_for
from small_set import NAME, answered, book_of, cell, grade, hand_in

from nbjudge.marking.opening import open_desk
from nbjudge.marking.rubric import MarkersChoice

pytestmark = pytest.mark.thorough("test of nbgrader's own pages")

#: What a learner wrote: each of these would set the page's title, were it to run.
ATTACK = "document.title='taken'"
WRITTEN = f"""\
It is never negative, $a<b$.
<script>{ATTACK}</script><img src=x onerror="{ATTACK}"><svg/onload="{ATTACK}">
[click](javascript:{ATTACK}) [again][x]

[x]: javascript:{ATTACK}

```mermaid
<script>{ATTACK}</script>
```
"""
SHOWN = f"""\
from IPython.display import HTML, SVG, Javascript, Markdown, display
display(HTML("<script>{ATTACK}</script><img src=x onerror=\\"{ATTACK}\\">"))
display(Javascript("{ATTACK}"), SVG("<svg onload=\\"{ATTACK}\\"></svg>"))
display({{"image/png": "\\"><script>{ATTACK}</script>", "text/plain": "<b>x</b>"}}, raw=True)
display({{"text/markdown": "<script>{ATTACK}</script>", "text/latex": "<script>"}}, raw=True)
print("<script>{ATTACK}</script>")
def double(x):
    return 2 * x
def __getattr__(name): raise RuntimeError("<script>{ATTACK}</script>")
"""
WRONG = f"""\
def sum_squares(numbers):
    raise ValueError("<script>{ATTACK}</script><img src=x onerror={ATTACK}>")
"""


@pytest.fixture(scope="module")
def marked(one_nursery, small_course, tmp_path_factory):
    """A class of two, one of whom attacks whoever marks it."""
    folder = tmp_path_factory.mktemp("marked")
    hand_in(folder / "in", "ada", answered(small_course))
    notebook = answered(small_course, double=SHOWN, sum_squares=WRONG, explain=WRITTEN)
    own = type(notebook.cells[0])(cell_type="markdown", source=WRITTEN, metadata={}, id="own")
    notebook.cells.insert(notebook.cells.index(cell(notebook, "double")), own)
    for one in notebook.cells:
        if one.cell_type == "markdown" and "nbgrader" not in one.metadata:
            one.source = WRITTEN
    hand_in(folder / "in", "eve", notebook)
    grade(folder / "in", folder / "out", small_course)
    return folder


@pytest.fixture(scope="module")
def formgrader(marked, tmp_path_factory):
    """The address of the formgrader, opened in the folder as the page on teaching says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-m", "jupyter_server", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", "--ServerApp.port_retries=0"]
    environment = {**os.environ, "HOME": str(home), "JUPYTER_DATA_DIR": str(home / "data")}
    log = (home / "log").open("w")
    server = subprocess.Popen(
        command, cwd=marked / "out", env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    address = f"http://127.0.0.1:{port}/formgrader"
    try:
        wait_for(f"{address}/manage_assignments", server, home / "log")
        yield address
    finally:
        server.terminate()
        server.wait()


def opened(chromium, address):
    page = chromium.new_context().new_page()
    page.set_default_timeout(120_000)
    page.goto(address, wait_until="load", timeout=120_000)
    return page


def submission(marked, student):
    with book_of(marked / "out") as book:
        return book.find_submission_notebook(NAME, NAME, student).id


def test_it_shows_the_grades(marked, formgrader, chromium):
    page = opened(chromium, f"{formgrader}/gradebook/{NAME}/{NAME}")
    page.wait_for_selector("td.score")
    scores = page.eval_on_selector_all(
        "td.score", "cells => cells.map(cell => cell.textContent.replace(/\\s+/g, ' ').trim())"
    )
    assert sorted(scores) == ["10 / 13", "5 / 13"]
    page.goto(f"{formgrader}/manage_submissions/{NAME}")
    page.wait_for_selector("text=eve")
    page.wait_for_selector("td.status")
    status = " ".join(page.locator("td.status").all_inner_texts()).lower()
    assert status.count("needs manual grading") == 2, status


def test_nothing_that_a_learner_wrote_runs_there(marked, formgrader, chromium):
    page = opened(chromium, f"{formgrader}/submissions/{submission(marked, 'eve')}/")
    page.wait_for_selector("input.score")
    for link in page.query_selector_all("a"):
        assert not (link.get_attribute("href") or "").lower().startswith("javascript:alert")
        assert ATTACK not in (link.get_attribute("href") or "")
    page.wait_for_timeout(500)
    assert page.title() != "taken"
    assert page.locator("text=It is never negative").count() >= 1
    assert page.evaluate(
        f"[...document.scripts].every(s => s.src || !s.text.includes({ATTACK[:14]!r}))"
    )


def test_a_page_of_ours_runs_nothing_either(marked, chromium):
    for path in (
        marked / "out" / "feedback" / "eve" / NAME / f"{NAME}.html",
        marked / "out" / "overview" / f"{NAME}.html",
    ):
        page = opened(chromium, path.as_uri())
        page.wait_for_timeout(300)
        assert page.title() != "taken"
        assert page.locator("script").count() == 0
        text = page.inner_text("body")
        assert "eve" in text or "<script>" in text, "shown as text"
        # Without the page's own rule against scripts there is still nothing to run.
        page.set_content(re.sub(r"<meta http-equiv[^>]*>", "", path.read_text("utf-8")))
        page.wait_for_timeout(300)
        assert page.title() != "taken"


def test_a_mark_by_hand_and_the_feedback_made_from_it(marked, formgrader, chromium, small_course):
    """Given in the form; in nbgrader's own feedback, and in ours when grading runs again."""
    page = opened(chromium, f"{formgrader}/submissions/{submission(marked, 'ada')}/")
    # The class is given when the form has begun to listen.
    page.wait_for_selector("input.score#explain--written.needs_manual_grade")
    page.fill("input.score#explain--written", "2")
    with page.expect_response(lambda r: "/api/grade/" in r.url and r.request.method == "PUT"):
        page.press("input.score#explain--written", "Tab")

    page.goto(f"{formgrader}/manage_submissions/{NAME}")
    page.wait_for_selector("text=ada")
    feedback = marked / "out" / "feedback" / "ada" / NAME / f"{NAME}.html"
    ours = feedback.read_text("utf-8")
    with page.expect_response(
        lambda r: r.url.endswith("/ada/generate_feedback"), timeout=120_000
    ) as response:
        page.locator("tr", has_text="ada").locator("td.generate-feedback a").click()
    assert response.value.json()["success"], response.value.json()
    theirs = feedback.read_text("utf-8")
    assert theirs != ours
    assert "(Score: 12.0 / 13.0)" in re.sub(r"\s+", " ", theirs)
    for secret in ("secret_number", "169", "the instructor's way"):
        assert secret not in re.sub(r"<style.*?</style>|<[^>]+>", "", theirs, flags=re.DOTALL)
    report = grade(marked / "in", marked / "out", small_course)
    assert report.executed == []
    assert report.students["ada"].score == 12
    assert report.students["ada"].flags == []
    assert (
        report.students["ada"]
        .by_hand["explain--written"]
        .startswith(f"2 by {getpass.getuser()} on {datetime.now(UTC):%Y-%m-}")
    )
    assert "12 of 13 points" in feedback.read_text("utf-8")


def test_it_shows_a_mark_from_the_marking_page(marked, formgrader, chromium, small_course):
    with open_desk(NAME, marked / "out", "mia", course=small_course) as desk:
        (question,) = desk.questions.values()
        seen = desk.answer(question, "eve").seen
        desk.save(question, "eve", MarkersChoice({1: 0.5}), "Half of it.", seen)
    page = opened(chromium, f"{formgrader}/submissions/{submission(marked, 'eve')}/")
    page.wait_for_selector("input.score#explain--written:not(.needs_manual_grade)")
    page.wait_for_function("document.querySelector('input.score#explain--written').value == '1.5'")
    comments = page.eval_on_selector_all("textarea.comment", "all => all.map(one => one.value)")
    assert "Half of it." in comments


def test_its_button_for_autograding_runs_nothing(marked, formgrader, chromium):
    page = opened(chromium, f"{formgrader}/manage_submissions/{NAME}")
    page.wait_for_selector("text=eve")
    with page.expect_response(
        lambda r: r.url.endswith("/eve/autograde"), timeout=120_000
    ) as response:
        page.locator("tr", has_text="eve").locator("td.autograde a").click()
    answer = response.value.json()
    assert not answer["success"]
    assert "tfcourse grade --again" in answer["log"] + str(answer.get("error"))
