"""The quiz: what it refuses, what it becomes, and that it can be used by all."""

from __future__ import annotations

from pathlib import Path

import pytest
from course_quiz import QuizError, parse_quiz
from site_pages import toc_pages
from tiny_site import build

GOOD = """```{quiz}
:id: one

What is $y_i$?

- [x] A vector of $d_v$ numbers.
  : It sums value rows,
    $y_i = \\sum_j \\alpha_{ij} v_j$.
- [ ] A scalar.
  : A weight is.
```
"""

BAD = {
    "- [x] A\n  : Why.\n- [ ] B": "'B' has no explanation",
    "- [ ] A\n  : Why.\n- [ ] B\n  : Why.": "no choice is marked right",
    "- [x] A\n  : Why.": "two choices or more, this one has 1",
    "- [x] A\n  : Why.\n  : Why.\n- [ ] B\n  : Why.": "two explanations",
    "- [x] A\n  : Why.\n* [ ] B\n  : Why.": "neither a choice",
}


@pytest.mark.parametrize("lines, said", BAD.items())
def test_what_is_written_wrongly_is_refused(lines: str, said: str) -> None:
    with pytest.raises(QuizError, match=said.replace("[", r"\[")):
        parse_quiz("Which?", lines.splitlines())


def test_a_quiz_without_a_question_is_refused() -> None:
    with pytest.raises(QuizError, match="question is missing"):
        parse_quiz("", ["- [x] A", "  : Why.", "- [ ] B", "  : Why."])


def test_the_question_may_stand_on_the_fence_or_in_the_block() -> None:
    choices = ["- [x] A", "  : Why.", "- [ ] B", "  : Why."]
    on_fence, _ = parse_quiz("Which?", choices)
    in_block, _ = parse_quiz("", ["", "Which?", "", *choices])
    assert [line for line in in_block if line] == on_fence == ["Which?"]


def test_a_missing_explanation_fails_the_build(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, GOOD.replace("  : A weight is.\n", ""))
    assert "has no explanation" in warnings


def test_two_quizzes_with_one_id_fail_the_build(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, GOOD + "\n" + GOOD)
    assert "two with the id 'one'" in warnings


def test_what_a_quiz_becomes(tmp_path: Path) -> None:
    html, warnings = build(tmp_path, GOOD)
    assert not warnings
    assert html.count('type="radio"') == 2
    assert html.count('<details class="quiz-why">') == 2
    assert html.count('class="math notranslate nohighlight"') == 3
    assert '<legend class="quiz-question">' in html
    assert 'role="status"' in html


def test_several_right_choices_become_check_boxes(tmp_path: Path) -> None:
    html, _ = build(tmp_path, GOOD.replace("- [ ]", "- [x]"))
    assert html.count('type="checkbox"') == 2


def quiz_pages(site: Path) -> list[str]:
    found = [p for p in toc_pages() if 'class="quiz"' in (site / p).read_text("utf-8")]
    assert found, "no page has a quiz"
    return found


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
    assert "Not true." in explanations.nth(0).inner_text()
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


@pytest.mark.thorough("walk through all pages")
@pytest.mark.browser
def test_every_quiz_calls_its_right_choices_right(page, address: str, site: Path) -> None:
    for name in quiz_pages(site):
        page.goto(f"{address}/{name}")
        for quiz in page.locator(".quiz").all():
            for right in quiz.locator(".quiz-choice[data-right=yes] input").all():
                right.check()
            quiz.get_by_role("button", name="Check").click()
            assert quiz.get_by_role("status").inner_text().startswith("Right"), name
            assert all(why.is_visible() for why in quiz.locator(".quiz-why").all())


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
