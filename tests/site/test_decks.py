"""Decks in a browser: slides fit, keys move, live figures answer, a slide prints as a page."""

from __future__ import annotations

import re

import pytest
from live_site import offline

from coursebook.course import named
from coursebook.slides import deck

pytestmark = pytest.mark.browser

#: What of the slide in sight is cut off, or too small to read from the back of a room.
FAULTS = """() => {
  const slide = document.querySelector(".slide.is-shown"), faults = [];
  const box = (one) => one.getBoundingClientRect();
  const within = (a, b) =>
    a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 1 && a.bottom < b.bottom + 1;
  if (!within(box(slide), { left: 0, top: 0, right: 1280, bottom: 720 })) faults.push("slide");
  const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
  if (scrollWidth > clientWidth || scrollHeight > clientHeight) faults.push("scrollbars");
  for (const one of slide.querySelectorAll(".content *:not(mjx-container *), h1, h2, footer *")) {
    const around = one.closest(".content") ?? slide,
      small = parseFloat(getComputedStyle(one).fontSize) < 24;
    if (box(one).width && !within(box(one), box(around))) faults.push(`${one.tagName} is cut off`);
    const said = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (said && small) faults.push(`small: ${one.textContent}`);
  }
  for (const one of slide.querySelectorAll("img")) {
    const { width, height } = box(one);
    if (!one.naturalWidth || !one.alt || width < 300 || height < 150) faults.push("a drawing");
  }
  for (const one of slide.querySelectorAll("iframe")) {
    const inside = one.contentDocument, { scrollWidth: wide, scrollHeight: high } = inside.body;
    if (high > one.clientHeight || wide > one.clientWidth) faults.push("a figure is cut off");
    if (!inside.querySelector("figure.is-live .live-picture")) faults.push("a figure is still");
  }
  return faults;
}"""


@pytest.fixture(
    scope="module",
    params=["05", pytest.param("09", marks=pytest.mark.thorough("test of another deck"))],
)
def opened(request, chromium, course, tmp_path_factory):
    """A lesson's deck from the disk, and the page that shows it."""
    (lesson,) = named(course, request.param)
    path = deck.write(lesson, tmp_path_factory.mktemp("slides"))
    with offline(chromium, viewport={"width": 1280, "height": 720}) as page:
        page.goto(path.as_uri())
        page.locator("body.ready").wait_for(state="attached")
        yield path, page
        assert not page.faults
        assert {url.partition(":")[0] for url in page.asked} <= {"file", "data", "about"}


@pytest.fixture
def page(opened):
    opened[1].locator("body").press("Home")
    return opened[1]


def place(page) -> str:
    """The number of the slide in sight, as the address has it."""
    return page.evaluate("location.hash")


def test_every_slide_fits(page) -> None:
    slides = page.locator(".slide").count()
    assert slides > 20
    for number in range(1, slides + 1):
        assert place(page) == f"#{number}"
        assert not page.evaluate(FAULTS), number
        page.keyboard.press("ArrowRight")
    assert place(page) == f"#{slides}", "the last slide is the last"
    assert page.locator("mjx-container svg").count() > 5 and not page.locator("mjx-merror").count()


def test_keys_move(page) -> None:
    shown = page.locator(".slide.is-shown")
    for key, number in (
        ("ArrowRight", 2),
        (" ", 3),
        ("ArrowLeft", 2),
        ("PageDown", 3),
        ("Home", 1),
    ):
        page.keyboard.press(key)
        assert re.fullmatch(rf"Slide {number} of \d+", shown.get_attribute("aria-label"))
    page.keyboard.press("End")
    assert shown.locator("h2").inner_text() == "What to take away"


def test_a_live_figure_answers_and_lets_the_deck_go_on(page) -> None:
    frames = page.locator(".slide.live iframe")
    sliders = [frame.content_frame.locator("input[type=range]") for frame in frames.all()]
    frame, slider = next(
        (frame, found.first)
        for frame, found in zip(frames.all(), sliders, strict=True)
        if found.count()
    )
    while not frame.is_visible():
        page.keyboard.press("ArrowRight")
    status = frame.content_frame.locator(".live-status")
    at = place(page)
    slider.press("End")
    last = status.inner_text()
    slider.press("Home")
    assert status.inner_text() != last and place(page) == at
    assert not page.evaluate(FAULTS)
    slider.press("PageDown")
    assert place(page) != at and not frame.is_visible()


def test_the_instructor_sees_notes(page) -> None:
    note = page.locator(".slide.is-shown .notes")
    assert not note.is_visible()
    page.keyboard.press("n")
    assert re.match(r"Demonstration \(\d+ minutes\)", note.inner_text())
    page.keyboard.press("n")
    assert not note.is_visible()


def test_a_slide_prints_as_a_page(opened, chromium) -> None:
    path, page = opened
    (printed,) = deck.print_pdf(chromium, [path])
    assert (
        len(re.findall(rb"/Type /Page\b", printed.read_bytes())) == page.locator(".slide").count()
    )
