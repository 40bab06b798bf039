"""The quiz on the site: what it refuses, what it becomes, and that it can be used by all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from live_site import offline
from site_pages import toc_pages
from tiny_site import WHOLE, build, questions

from coursebook import course
from coursebook.sphinx.calls import directive

ONE = """## one

What is $y_i$?

- [x] A vector of $d_v$ numbers.
  : It sums value rows,
    $y_i = \\sum_j \\alpha_{ij} v_j$.
- [ ] A scalar.
  : A weight is.
"""
SEVERAL = """## several

Which are *true*?

- [x] This.
  : It is.
- [ ] That.
  : It is not.
- [x] This too.
  : It is too.
"""
ASKED = "```{quiz} one\n```\n\n```{quiz} several\n```\n"


@pytest.mark.parametrize(
    "text, said",
    [
        ("```{quiz} on\n```", "no question named 'on'; did you mean 'one'"),
        ("```{quiz} one\n```\n\n```{quiz} one\n```", "'one' is asked twice on this page"),
    ],
)
def test_what_cannot_be_asked_fails_the_build(tmp_path: Path, text: str, said: str) -> None:
    questions(tmp_path, ONE)
    _, warnings = build(tmp_path, text)
    assert said in warnings


def test_a_missing_explanation_fails_the_build(tmp_path: Path) -> None:
    questions(tmp_path, ONE.replace("  : A weight is.\n", ""))
    _, warnings = build(tmp_path, "```{quiz} one\n```")
    assert "book/quiz.md: one: the choice 'A scalar.' has no explanation" in warnings


def test_what_a_quiz_becomes(tmp_path: Path) -> None:
    questions(tmp_path, ONE + SEVERAL)
    html, warnings = build(tmp_path, ASKED)
    assert not warnings
    assert html.count('type="radio"') == 2 and html.count('type="checkbox"') == 3
    assert html.count('<details class="quiz-why">') == 5
    assert html.count('class="math notranslate nohighlight"') == 3
    assert '<div class="quiz" id="quiz-one" data-kind="one" data-version="' in html
    assert '<legend class="quiz-question">' in html
    assert 'role="status"' in html


# ---- a lesson's cell gives way to the directive ------------------------------------------------


@pytest.mark.parametrize(
    "source, found",
    [
        ('quiz("one")', ("quiz", "one")),
        ('coursebook.quiz("one")\n', ("quiz", "one")),
        ('live.figure("heads")', ("live", "heads")),
        ('quiz("one")\nprint(1)', None),
        ('shown = quiz("one")', None),
        ("quiz(name)", None),
        ('quiz("a") quiz("b")', None),
        ('other.quiz("one")', None),
    ],
)
def test_which_cells_give_way(source: str, found: tuple[str, str] | None) -> None:
    assert directive(source) == found


def test_a_lessons_call_becomes_the_sites_quiz(tmp_path: Path) -> None:
    output = {"output_type": "execute_result", "execution_count": 1, "metadata": {},
              "data": {"text/plain": "as stored", "text/html": "<b>as stored</b>"}}  # fmt: skip
    code = {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1}
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Page"},
        {**code, "outputs": [output], "source": ["quiz(\n", '    "one"\n', ")"]},
        {**code, "id": "c", "outputs": [], "source": 'print("quiz(one)")'},
    ]
    metadata = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "index.ipynb").write_text(json.dumps(notebook), "utf-8")
    questions(tmp_path, ONE)
    html, warnings = build(tmp_path, "", ("coursebook.sphinx.calls", "coursebook.sphinx.quiz"))
    assert not warnings
    assert html.count('type="radio"') == 2
    assert "as stored" not in html
    assert "quiz(one)" in html, "another cell stays"


# ---- answers are kept in the browser -----------------------------------------------------------


def small(folder: Path, text: str = ONE + SEVERAL) -> str:
    questions(folder, text)
    build(folder, ASKED, WHOLE)
    return (folder / "out" / "index.html").as_uri()


@pytest.mark.browser
def test_answers_are_kept_until_they_are_forgotten(chromium, tmp_path: Path) -> None:
    address = small(tmp_path)
    with offline(chromium) as page:
        page.goto(address)
        quiz = page.locator("#quiz-one")
        forget = quiz.get_by_role("button", name="Forget my answer")
        assert not forget.is_visible()
        quiz.get_by_role("radio").nth(1).check()
        quiz.get_by_role("button", name="Check").click()
        page.reload()
        assert quiz.get_by_role("radio").nth(1).is_checked()
        said = "Your answer from last time. Not right: read why, and choose again."
        assert quiz.get_by_role("status").inner_text() == said
        assert page.locator("#quiz-several").get_by_role("status").inner_text() == ""

        quiz.get_by_role("radio").nth(0).check()
        quiz.get_by_role("button", name="Check").click()
        page.reload()
        assert "Right." in quiz.get_by_role("status").inner_text()
        forget.focus()
        page.keyboard.press("Enter")
        assert quiz.get_by_role("status").inner_text() == "Your answer is forgotten."
        assert not quiz.locator(".is-right").count() and not forget.is_visible()
        page.reload()
        assert not quiz.locator("input:checked").count()
        assert not page.faults


@pytest.mark.browser
def test_an_answer_to_another_wording_is_dropped(chromium, tmp_path: Path) -> None:
    address = small(tmp_path)
    with offline(chromium) as page:
        page.goto(address)
        for name in ("one", "several"):
            page.locator(f"#quiz-{name} input").first.check()
            page.locator(f"#quiz-{name}").get_by_role("button", name="Check").click()
        small(tmp_path, ONE.replace("A scalar", "One number") + SEVERAL)
        page.reload()
        assert not page.locator("#quiz-one input:checked").count()
        assert page.locator("#quiz-several input:checked").count() == 1


@pytest.mark.browser
def test_a_browser_that_keeps_nothing_still_judges(chromium, tmp_path: Path) -> None:
    address = small(tmp_path)
    with offline(chromium) as page:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })"
        )
        page.goto(address)
        page.locator("#quiz-one input").first.check()
        page.locator("#quiz-one").get_by_role("button", name="Check").click()
        assert page.locator("#quiz-one").get_by_role("status").inner_text().startswith("Right")


def test_pages_have_quizzes(site: Path) -> None:
    """Their answers are tried where each page is visited, in test_pages.py."""
    asked = [p for p in toc_pages() if 'class="quiz"' in (site / p).read_text("utf-8")]
    assert len(asked) >= len(course.chapter_paths(course.root(Path(__file__).parent)))


def tab_until(page, key: str, reached: str) -> None:
    """Press a key until the focus is where the expression says; explanations lie on the way."""
    for _ in range(6):
        page.keyboard.press(key)
        if page.evaluate(f"document.activeElement.{reached}"):
            return
    raise AssertionError(f"{key} does not lead to an element with {reached}")


def back_to_the_choices(page) -> None:
    tab_until(page, "Shift+Tab", "type === 'radio'")


def on_to_check(page) -> None:
    tab_until(page, "Tab", "classList.contains('quiz-check')")


@pytest.mark.browser
def test_it_is_answered_by_keyboard(page, address: str) -> None:
    page.goto(f"{address}/book/maintain.html")
    quiz = page.locator("#quiz-example")
    status, explanations = quiz.get_by_role("status"), quiz.locator("details")
    quiz.get_by_role("button", name="Check").focus()
    page.keyboard.press("Enter")
    assert status.inner_text() == "Choose an answer first."

    back_to_the_choices(page)
    page.keyboard.press("Space")
    chosen = [quiz.get_by_role("radio").nth(n).is_checked() for n in range(3)]
    assert chosen.count(True) == 1
    while not quiz.get_by_role("radio").nth(0).is_checked():
        page.keyboard.press("ArrowUp")
    on_to_check(page)
    page.keyboard.press("Enter")
    assert status.inner_text().startswith("Not right")
    assert [explanations.nth(n).is_visible() for n in range(3)] == [True, False, False]
    assert "Not right." in explanations.nth(0).inner_text()
    assert quiz.locator(".is-wrong .quiz-mark").inner_text() == "✗ Not right"

    back_to_the_choices(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    on_to_check(page)
    page.keyboard.press("Enter")
    assert status.inner_text().startswith("Right")
    assert all(explanations.nth(n).is_visible() for n in range(3))


@pytest.mark.browser
def test_a_choice_that_is_missing_is_counted(page, address: str) -> None:
    page.goto(f"{address}/book/maintain.html")
    quiz = page.locator("#quiz-output")
    quiz.get_by_role("checkbox").nth(1).check()
    quiz.get_by_role("button", name="Check").click()
    said = quiz.get_by_role("status").inner_text()
    assert said == "Not yet: 1 of your choices is not right, and 2 that are true are not chosen."
    quiz.get_by_role("button", name="Show every explanation").click()
    assert all(quiz.locator("details").nth(n).is_visible() for n in range(3))


@pytest.mark.browser
def test_without_script_the_explanations_open_by_themselves(chromium, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/book/maintain.html")
    why = page.locator("#quiz-example details").first
    assert not why.locator("p").first.is_visible()
    why.locator("summary").click()
    assert why.locator("p").first.is_visible()
    assert not page.get_by_role("button", name="Check").is_visible()
    context.close()


@pytest.mark.browser
def test_print_has_the_choices_and_not_the_answers(page, address: str) -> None:
    page.goto(f"{address}/book/maintain.html")
    quiz = page.locator("#quiz-example")
    quiz.get_by_role("radio").nth(2).check()
    quiz.get_by_role("button", name="Check").click()
    page.emulate_media(media="print")
    assert quiz.locator("label").first.is_visible()
    assert not quiz.locator("details").first.is_visible()
    assert not quiz.get_by_role("status").is_visible()
