"""A notebook's pictures: the code below them, and a wide one on a telephone.

Their widths and the sizes of their words are judged where each page is visited, in test_pages.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from coursebook import course
from coursebook.sphinx import pictures

ROOT = course.root(Path(__file__).parent)


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
