"""A notebook's pictures: they fill their column, and on a telephone their words can be read."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from PIL import Image

from coursebook import course
from coursebook.sphinx import pictures

ROOT = course.root(Path(__file__).parent)
LESSONS = course.chapter_paths(ROOT)
#: Each notebook with pictures that the site shows, and its page.
NOTEBOOKS = [(path, course.lesson_of(path).page) for path in LESSONS] + [
    (path, course.lesson_of(path).evidence_page) for path in course.evidence_paths(ROOT)
]

#: What a picture shows, its file, and how wide it is drawn.
SHOWN = """() => [...document.querySelectorAll('.cell_output img, .live img')].map((image) =>
    [image.alt, image.getAttribute('src').split('?')[0], image.getBoundingClientRect().width])"""


#: Of each drawing: the widths of itself and of its frame, the widest that it may be, its own.
DRAWN = """() => [...document.querySelectorAll('.picture')]
    .filter((frame) => frame.querySelector('img[src$=".svg"]'))
    .map((frame) => [frame.querySelector('img').alt,
        ...[frame.querySelector('img'), frame].map((one) => one.getBoundingClientRect().width),
        parseFloat(frame.style.getPropertyValue('--most')),
        Number(frame.querySelector('img').getAttribute('width'))])"""


def smallest(picture: Path, points: int) -> tuple[float, float, float]:
    """The sizes of a picture's smallest words and subscripts, and its width, in its own units."""
    if picture.suffix == ".png":
        with Image.open(picture) as image:
            return points * image.info["dpi"][0] / 72, math.inf, image.width
    text = picture.read_text("utf-8")
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', text)[1])
    outlines = [100 * float(scale) for scale in re.findall(r"scale\((0\.\d+) -0", text)]
    named = [float(size) for size in re.findall(r"font-size: ?([\d.]+)px", text)]
    words = min(outlines + named, default=width)
    inner = [float(scale) for scale in re.findall(r"scale\((0\.7|0\.49)\)", text)]
    return words, min(inner, default=math.inf) * words, width


def too_small(page, site: Path, notebook: Path, at: str) -> list[str]:
    """The pictures of the page with words of fewer than nine pixels, or subscripts of seven."""
    sizes, found = pictures.named(notebook), []
    for alt, address, shown in page.evaluate(SHOWN):
        words, subscripts, width = smallest((site / at).parent / address, sizes.get(alt, 10))
        for what, size, least in ("words", words, 9), ("subscripts", subscripts, 7):
            if (size := size * shown / width) < least:
                found.append(f"{at}: {what} of {size:.1f} pixels in: {alt}")
    return found


@pytest.mark.browser
def test_words_in_pictures_can_be_read_on_a_telephone(page, address: str, site: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    found, wide = [], 0
    for notebook, at in NOTEBOOKS:
        page.goto(f"{address}/{at}.html", wait_until="domcontentloaded")
        found += too_small(page, site, notebook, at)
        page.add_style_tag(content=".picture img { min-width: 0 !important; }")
        wide += len(too_small(page, site, notebook, at))
    assert not found, "\n".join(found)
    assert wide > 50, "a picture that is as narrow as the page is not found"


@pytest.mark.browser
def test_a_drawing_is_as_wide_as_its_column_or_as_it_may_be(page, address: str) -> None:
    filled = capped = 0
    for _, at in NOTEBOOKS:
        page.goto(f"{address}/{at}.html", wait_until="domcontentloaded")
        column = page.evaluate("document.querySelector('.bd-article h1').clientWidth")
        for alt, shown, frame, most, own in page.evaluate(DRAWN):
            assert most == pytest.approx(pictures.LARGER * own, abs=1.5), alt
            assert shown == pytest.approx(min(frame, most), abs=1), f"{at}: {alt}"
            filled, capped = filled + (shown > column - 1), capped + (shown < frame - 1)
    assert filled > 50 and capped > 20


@pytest.mark.browser
def test_the_code_of_a_picture_is_below_it(page, address: str) -> None:
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html")
    cells = page.locator(".cell:has(> details):has(> .cell_output .picture)")
    assert cells.count() > 10
    for cell in cells.all():
        picture, code = cell.locator(".picture").first, cell.locator("> details > summary")
        assert code.bounding_box()["y"] > picture.bounding_box()["y"]
    code.click()
    assert cell.locator(".cell_input").is_visible()


@pytest.mark.browser
def test_the_rest_of_a_wide_picture_is_reached_by_the_keyboard(page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html")
    frame = page.locator(".picture a").filter(has=page.get_by_alt_text("The query (1.5, 1.8)"))
    hint = "frame => getComputedStyle(frame.parentElement, '::after').height"
    assert float(frame.evaluate(hint).removesuffix("px")) > 10
    narrow = page.locator(".picture a").filter(has=page.get_by_alt_text("The matrix X"))
    assert narrow.evaluate(hint) == "0px", "nothing is hidden there"
    frame.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("frame => frame.scrollLeft > 0", arg=frame.element_handle())


def test_a_plots_words_are_as_large_as_its_cell_says() -> None:
    sizes = pictures.named(course.Lesson(ROOT, "12-vision").notebook)
    shown = [size for alt, size in sizes.items() if alt.startswith("Eight handwritten digits")]
    assert shown == [9]
