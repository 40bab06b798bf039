"""A notebook's pictures on a telephone: their words can be read, and all of them can be reached."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from coursebook import course
from coursebook.sphinx import pictures

ROOT = course.root(Path(__file__).parent)
LESSONS = course.chapter_paths(ROOT)

#: What a picture shows, its file, and how wide it is drawn.
SHOWN = """() => [...document.querySelectorAll('.cell_output img, .live img')].map((image) =>
    [image.alt, image.getAttribute('src').split('?')[0], image.getBoundingClientRect().width])"""


def smallest(picture: Path, points: int) -> tuple[float, float]:
    """The size of a picture's smallest words, and its width, in units of its own."""
    if picture.suffix == ".png":
        with Image.open(picture) as image:
            return points * image.info["dpi"][0] / 72, image.width
    text = picture.read_text("utf-8")
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', text)[1])
    outlines = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -0", text)]
    named = [float(size) for size in re.findall(r"font-size: ?([\d.]+)px", text)]
    return min(outlines + named, default=width), width


def too_small(page, site: Path, lesson: Path) -> list[str]:
    """The pictures of the page with words of fewer than nine pixels."""
    sizes, found = pictures.named(lesson), []
    folder = (site / course.lesson_of(lesson).page).parent
    for alt, address, shown in page.evaluate(SHOWN):
        words, width = smallest(folder / address, sizes.get(alt, 10))
        if (size := words * shown / width) < 9:
            found.append(f"{lesson.stem}: words of {size:.1f} pixels in: {alt}")
    return found


@pytest.mark.browser
def test_words_in_pictures_can_be_read_on_a_telephone(page, address: str, site: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    found, wide = [], 0
    for lesson in LESSONS:
        page.goto(f"{address}/{course.lesson_of(lesson).page}.html", wait_until="domcontentloaded")
        found += too_small(page, site, lesson)
        page.add_style_tag(content=".picture img { min-width: 0 !important; }")
        wide += len(too_small(page, site, lesson))
    assert not found, "\n".join(found)
    assert wide > 50, "a picture that is as narrow as the page is not found"


@pytest.mark.browser
def test_the_rest_of_a_wide_picture_is_reached_by_the_keyboard(page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html")
    frame = page.locator(".picture a").filter(has=page.get_by_alt_text("The query (2, 1)"))
    hint = "frame => getComputedStyle(frame.parentElement, '::after').height"
    assert float(frame.evaluate(hint).removesuffix("px")) > 10
    narrow = page.locator(".picture a").filter(has=page.get_by_alt_text("The matrix X"))
    assert narrow.evaluate(hint) == "0px", "nothing is hidden there"
    frame.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("frame => frame.scrollLeft > 0", arg=frame.element_handle())


def test_a_plots_words_are_as_large_as_its_cell_says() -> None:
    sizes = pictures.named(course.Lesson(ROOT, "02-recurrence").notebook)
    assert [size for alt, size in sizes.items() if alt.startswith("Left, share of verbs")] == [8]
