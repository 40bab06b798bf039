"""Figures on a dark page: their colours can be told and seen, and heat maps keep their cards."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from page_colours import PAGES, on_dark
from PIL import Image
from pypdf import PdfReader

from coursebook import course
from coursebook.drawings.colours import COLOURS, INK, contrast
from coursebook.one_pdf import MARGIN
from coursebook.sphinx import dark

SHEET = Path(course.root(Path(__file__).parent), "coursebook", "static", "plots.css")


def hue(colour: str) -> int:
    """Which of red, green and blue is the largest."""
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return parts.index(max(parts))


def test_the_filter_is_the_one_that_is_computed_here() -> None:
    sheet = SHEET.read_text("utf-8")
    assert "filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen" in sheet
    assert on_dark("#ffffff") == PAGES["dark"], "a card becomes the page"


@pytest.mark.parametrize("role", COLOURS)
def test_a_roles_colour_is_seen_on_the_dark_page_and_stays_itself(role: str) -> None:
    turned = on_dark(COLOURS[role])
    assert contrast(turned, PAGES["dark"]) >= 4.5
    assert hue(turned) == hue(COLOURS[role])


def test_text_can_be_read_on_the_dark_page() -> None:
    assert contrast(on_dark(INK), PAGES["dark"]) >= 12


def test_heat_maps_and_photographs_keep_their_cards(site: Path) -> None:
    root, kept, followed = course.root(Path(__file__).parent), 0, 0
    for path in course.chapter_paths(root):
        text = (site / f"{course.lesson_of(path).page}.html").read_text("utf-8")
        marked = len(re.findall(rf'<img[^>]* class="{dark.CARD}"', text))
        assert marked == len(dark.cards(path)), path.stem
        kept, followed = kept + marked, followed + (marked == 0)
    assert kept >= 10 and followed >= 3


@pytest.mark.browser
def test_a_drawing_stands_on_the_page_itself(page, address: str) -> None:
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html", wait_until="load")
    page.evaluate("Object.assign(document.documentElement.dataset, {theme: 'dark', mode: 'dark'})")
    drawing = page.locator(".cell_output img[src$='.svg']").first
    drawing.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.cell_output img').complete")
    box = drawing.bounding_box()
    shot = page.screenshot(clip={"x": box["x"] + 1, "y": box["y"] + 1, "width": 3, "height": 3})
    assert _pixel(shot) == _pixel(
        page.screenshot(clip={"x": box["x"] - 12, "y": box["y"] + 1, "width": 3, "height": 3})
    )


@pytest.mark.browser
def test_print_is_dark_on_white_and_has_no_empty_folds(page, address: str) -> None:
    page.goto(f"{address}/notebooks/05-self-attention/05-self-attention.html", wait_until="load")
    page.evaluate("Object.assign(document.documentElement.dataset, {theme: 'dark', mode: 'dark'})")
    assert page.get_by_text("Show the imports").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    drawing = page.locator(".cell_output img[src$='.svg']").first
    assert drawing.evaluate("image => getComputedStyle(image).filter") == "none"
    heading = page.get_by_role("heading", name="All words at once")
    assert heading.evaluate("h => getComputedStyle(h).color") in ("rgb(0, 0, 0)", "rgb(50, 50, 50)")
    assert not page.get_by_text("Show the imports").is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.browser
def test_print_cuts_nothing_off(page, address: str) -> None:
    """On A4 within the margins; the package's code, in lesson 6, is up to 100 columns wide."""
    page.set_viewport_size({"width": 703, "height": 1000})
    page.emulate_media(media="print")
    for name in "notebooks/06-multi-head/06-multi-head", "book/claims":
        page.goto(f"{address}/{name}.html", wait_until="load")
        cut = """() => [...document.querySelectorAll('.bd-article :is(pre, img, table, .live svg)')]
            .filter((one) => one.scrollWidth > one.clientWidth + 1
                || one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 80))"""
        assert not page.evaluate(cut)


@pytest.mark.browser
def test_the_space_after_a_page_takes_no_sheet_in_print(page, address: str) -> None:
    page.goto(f"{address}/book/teach.html", wait_until="load")
    page.evaluate("""() => {
        document.querySelector("#jb-print-docs-body").remove();
        document.querySelector("article.bd-article").innerHTML = "<section>" +
            "<div style='height: 960px'></div><p style='margin-bottom: 40px'>The end.</p>" +
            "</section><div class='toctree-wrapper compound'></div>";
    }""")
    around = dict.fromkeys(("top", "bottom", "left", "right"), MARGIN)
    (sheet,) = PdfReader(io.BytesIO(page.pdf(format="A4", margin=around))).pages
    assert sheet.extract_text() == "The end."


def _pixel(shot: bytes) -> tuple:
    with Image.open(io.BytesIO(shot)) as image:
        return image.convert("RGB").getpixel((1, 1))
