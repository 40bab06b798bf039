"""The home page: what a visitor sees first, and that what it shows of the course is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from live_site import offline

from nbjudge.answers import load_variants

BUTTONS = {
    "Start": "notebooks/01-words/01-words.html",
    "Try the models": "book/explore.html",
    "Teach it": "book/teach.html",
    "You know recurrent nets? Start with lesson 5": (
        "notebooks/05-self-attention/05-self-attention.html"
    ),
}


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_first_screen(chromium, site: Path, size: tuple[int, int]) -> None:
    with offline(chromium, viewport=dict(zip(("width", "height"), size, strict=True))) as page:
        page.goto((site / "index.html").as_uri())
        figure = page.locator("#figure-attends")
        page.locator("#figure-attends.is-live").wait_for()
        about = page.locator(".lead").bounding_box()
        assert about["y"] > 0 and about["y"] + about["height"] < size[1]
        field = figure.get_by_label("Type a sentence")
        field.press("Shift")
        picture = figure.locator("svg.live-picture").filter(visible=True)
        assert picture.count() == 1
        drawn = picture.bounding_box()
        assert drawn["y"] + drawn["height"] < size[1]
        assert field.input_value() == "The cat was scared because it didn't recognize me in my mask"
        for name, target in BUTTONS.items():
            button = page.get_by_role("link", name=name, exact=True)
            assert button.get_attribute("href") == target
            assert button.bounding_box()["y"] < drawn["y"]
        least = picture.locator("text").evaluate_all(
            "all => Math.min(...all.map(one => one.getBoundingClientRect().height))"
        )
        assert least >= 9, "words too small to read"
        before = picture.get_attribute("aria-label")
        field.fill("A sad note")
        assert picture.get_attribute("aria-label") != before
        assert not page.faults


@pytest.mark.browser
def test_what_the_grader_says_stands_beside_the_answer(chromium, site: Path) -> None:
    with offline(chromium, viewport={"width": 1280, "height": 800}) as page:
        page.goto((site / "index.html").as_uri())
        answer = page.locator(".graded-answer").bounding_box()
        message = page.locator(".graded-message").bounding_box()
        assert answer["x"] + answer["width"] <= message["x"]
        assert abs(answer["y"] - message["y"]) < 10


@pytest.mark.browser
def test_without_a_script_a_still_picture_stands(chromium, site: Path) -> None:
    for width in 1280, 390:
        viewport = {"width": width, "height": 844}
        with offline(chromium, java_script_enabled=False, viewport=viewport) as page:
            page.goto((site / "index.html").as_uri())
            still = page.locator("#figure-attends img").filter(visible=True)
            assert still.count() == 1
            assert "cat 0.53" in still.get_attribute("alt")


def test_the_grader_says_what_the_home_page_says(course: Path) -> None:
    """Answer and message are those of a known wrong answer, which the grader's tests run."""
    home = (course / "index.md").read_text("utf-8")
    answer = re.search(r"graded-answer\n\n```python\n(.*?)```", home, re.DOTALL)[1]
    message = re.search(r"graded-message\n\n✗ (.*?)\n\n:::", home, re.DOTALL)[1]
    folder = course / "solutions" / "ps05-self-attention"
    known = load_variants(folder)["attention-matrix"]
    (wrong,) = (one for one in known if one.name == "wrong-over-queries")
    assert " ".join(message.split()) == wrong.says
    lines = [line.strip() for line in wrong.source.splitlines()]
    shown = answer.strip().splitlines()
    assert "\n".join(shown) in "\n".join(lines)


def test_cards_come_before_the_hours(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")
    places = [text.index(part) for part in (
        'id="figure-attends"', "graded-message", "claims-summary", "card-lesson",
        "To cite the course", 'class="course-facts"',
    )]  # fmt: skip
    assert places == sorted(places)
