"""The site's sizes, spaces and widths are one system; a page is printed without empty halves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coursebook import course, live
from coursebook.sphinx.assets import STATIC

ROOT = course.root(Path(__file__).parent)
COURSE = STATIC / "course.css"
#: Our style sheets, but the one whose sizes are in units of a picture.
SHEETS = sorted({*STATIC.glob("*.css"), *live.FOLDER.glob("*.css")} - {live.FOLDER / "picture.css"})

#: A declaration of a size or a margin; a step of the system in it, and a length of its own.
DECLARED = re.compile(r"(?<![\w-])(font-size|font|margin[\w-]*|gap)\s*:\s*([^;}]+)")
A_STEP = re.compile(r"var\(--[\w-]+\)")
A_LENGTH = re.compile(r"\d(?:rem|em|px|pt|mm|vw|vh)\b|\d%|\b(?:small|medium|large)")
#: A part that looks at what an element holds, and after it what any element may be.
HOLDS_AND_ANY = re.compile(r":has\([^{},]*[ >](?:\*|:not\()(?:[^ ]|(?<=,) )*$")

#: A4 within the margins of print is 703 by 1000 pixels; this share of it may stay empty.
PAPER, SHARE = {"width": 703, "height": 1000}, 0.4
#: The pages that are printed here: two lessons, an evidence notebook, the home page, a problem set.
PRINTED = (
    "index",
    "book/explore",
    "notebooks/05-self-attention/05-self-attention",
    "notebooks/05-self-attention/evidence",
    "notebooks/07-positions/07-positions",
    "notebooks/assignments/ps05-self-attention/ps05-self-attention",
)
#: What is not cut by the end of a page, because it is kept whole or scrolls, and is higher than
#: that share of it.
KEPT_WHOLE = """(most) => [...document.querySelectorAll('.bd-article *')]
    .filter((one) => getComputedStyle(one).breakInside === 'avoid'
        || ['auto', 'scroll'].includes(getComputedStyle(one).overflowY))
    .map((one) => [one.getBoundingClientRect().height, one])
    .filter(([height, one]) => height > (one.matches('.picture img') ? 568 : most))
    .map(([height, one]) => `${height} px: ${one.outerHTML.slice(0, 90)}`)"""


def steps(sheet: str) -> dict[str, str]:
    """The custom properties that a style sheet's first rule for the whole page defines."""
    block = re.search(r":root \{([^}]*)\}", sheet)
    return dict(re.findall(r"(--[\w-]+): ([^;]+);", block[1])) if block else {}


def outside(sheet: str) -> list[str]:
    """The sizes of text and the margins in a style sheet that are not steps of the system."""
    rules = re.sub(r"/\*.*?\*/|@page \{[^}]*\}", "", sheet, flags=re.S)  # paper is no page of ours
    return [one[0] for one in DECLARED.finditer(rules) if A_LENGTH.search(A_STEP.sub("", one[2]))]


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_every_size_and_margin_is_a_step_of_the_system(sheet: Path) -> None:
    assert outside(sheet.read_text("utf-8")) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_what_moves_does_not_have_the_whole_page_styled_again(sheet: Path) -> None:
    """Chromium does so with each element drawn, if a rule such as the first one is there."""
    assert HOLDS_AND_ANY.search(".page:has(#map) section > :not(section, #map)")
    assert not HOLDS_AND_ANY.search(".page:has(#map) > section > :is(p, ul)")
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.DOTALL)
    rules = re.findall(r"([^{}]+)\{", text)
    assert [rule for rule in rules if HOLDS_AND_ANY.search(rule.strip())] == []


@pytest.mark.parametrize(
    "said", ["font-size: 0.9rem", "font: 15px/1.5 serif", "margin: 0 -3px", "font-size: 1.2em"]
)
def test_a_size_of_its_own_is_found(said: str) -> None:
    assert outside(f"a {{ color: red; {said}; }}") == [said]
    assert not outside("a { font: inherit; margin: 0 auto calc(-2 * var(--space-4)); }")


def test_each_name_is_defined_and_the_page_on_maintaining_lists_them() -> None:
    known = steps(COURSE.read_text("utf-8"))
    assert len(known) == 11
    text = (ROOT / "book" / "maintain.md").read_text("utf-8")
    rows = re.findall(r"^\| `(--[\w-]+)` \| ([\d.]+) rem \|", text, flags=re.M)
    assert {name: f"{value}rem" for name, value in rows} == known
    used = {
        name
        for sheet in SHEETS
        for name in re.findall(
            r"var\((--(?:text|space|column|page)[\w-]*)", sheet.read_text("utf-8")
        )
    }
    assert used == set(known)


@pytest.mark.browser
def test_what_is_kept_whole_in_print_is_short(page, address: str) -> None:
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    for name in PRINTED:
        page.goto(f"{address}/{name}.html", wait_until="load")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert not page.evaluate(KEPT_WHOLE, SHARE * PAPER["height"]), name
    page.add_style_tag(content=".bd-article section { break-inside: avoid; }")
    assert page.evaluate(KEPT_WHOLE, SHARE * PAPER["height"]), "what is long is not found"


@pytest.mark.browser
def test_the_contents_make_room_for_a_verdict(page, address: str) -> None:
    page.goto(f"{address}/notebooks/01-words/01-words.html", wait_until="load")
    contents = page.locator(".bd-sidebar-secondary")
    assert contents.bounding_box()["height"] > 200
    page.locator(".tested").first.evaluate("note => scrollTo(0, note.offsetTop - 200)")
    page.locator(".bd-sidebar-secondary.hide").wait_for()
    page.wait_for_function("document.querySelector('.bd-sidebar-secondary').offsetHeight < 60")
    page.locator(".bd-sidebar-secondary nav a").first.focus()
    page.wait_for_function("document.querySelector('.bd-sidebar-secondary').offsetHeight > 200")
