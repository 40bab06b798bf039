"""A lesson's slides as one HTML file: it moves by keys, prints one slide a page, needs no network.

Formulas are typeset by the MathJax in the file. Live figures lie in frames, as in a notebook.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from coursebook import mathjax
from coursebook.course import Lesson
from coursebook.live.alone import script
from coursebook.quizzes import html_of
from coursebook.slides.lesson import LINES, Slide, lines, slides
from coursebook.yaml_files import read_yaml

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FOLDER = Path(__file__).resolve().parent

#: Slides with fewer lines of text than this have larger ones.
FEW = 5

_LESSON = r"^## {name}$(.*?)(?=^## |\Z)"
_DEMONSTRATION = re.compile(
    r"\*\*Demonstration\*\* \(.+?\): `(?P<figure>[\w-]+)`.*?(?=\n\n|\Z)", re.S
)


def demonstrations(lesson: Lesson) -> dict[str, str]:
    """What the instructor's notes say of a lesson's live figures, in Markdown.

    Nothing if the notes are not there: learners' copies of the course leave them out.
    """
    notes = lesson.course / "solutions" / "teaching-notes.md"
    text = notes.read_text("utf-8") if notes.is_file() else ""
    part = re.search(_LESSON.format(name=re.escape(lesson.name)), text, re.M | re.S)
    return {one["figure"]: one[0] for one in _DEMONSTRATION.finditer(part[1] if part else "")}


def deck(lesson: Lesson) -> str:
    """The slides of a lesson as a page."""
    made, notes = slides(lesson), demonstrations(lesson)
    title = re.sub(r"[*`]", "", made[0].title)
    every = "\n\n".join(notes.values())  # the first slide says what is to come
    body = "".join(
        _section(one, number, len(made), title, every if number == 1 else notes.get(one.figure, ""))
        for number, one in enumerate(made, 1)
    )
    formulas = _typeset(lesson.course) if "$" in body else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_text('deck.css')}</style></head>"
        f'<body data-jp-theme-light="true"><main>{body}</main>'
        f"{formulas}{script(_text('deck.js'))}</body></html>\n"
    )


def write(lesson: Lesson, folder: Path) -> Path:
    """Write a lesson's slides into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lesson.name}.html"
    path.write_text(deck(lesson), "utf-8")
    return path


def print_pdf(browser: Browser, pages: list[Path]) -> list[Path]:
    """Print decks beside themselves, one slide a page, and return the files."""
    printed = [path.with_suffix(".pdf") for path in pages]
    for path, pdf in zip(pages, printed, strict=True):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(path.resolve().as_uri())
        page.locator("body.ready").wait_for(state="attached")
        page.pdf(path=pdf, prefer_css_page_size=True, print_background=True)
        page.close()
    return printed


def _section(one: Slide, number: int, of: int, lesson: str, note: str) -> str:
    long = lines(one.said)
    marks = {
        "first": number == 1,
        "beside": one.beside,
        "few": one.kind == "text" and long < FEW,
        "dense": long > LINES,
    }
    kinds = " ".join(["slide", one.kind, *(name for name, marked in marks.items() if marked)])
    tag = "h1" if number == 1 else "h2"
    said = f'<div class="said">{html_of(chr(10).join(_apart(one.said)))}</div>' if one.said else ""
    shown = f'<div class="shown">{one.shown}</div>' if one.shown else ""
    notes = f'<aside class="notes">{html_of(note)}</aside>' if note else ""
    return (
        f'<section class="{kinds}" aria-label="Slide {number} of {of}">'
        f"<{tag}>{html_of(one.title, block=False)}</{tag}>"
        f'<div class="content">{said}{shown}</div>'
        f"<footer><span>{escape(lesson)}</span><span>{number} / {of}</span></footer>"
        f"{notes}</section>"
    )


def _apart(said: list[str]) -> list[str]:
    """Blocks with an empty line after each."""
    return [f"{block}\n" for block in said]


def _typeset(course: Path) -> str:
    """MathJax with the site's own commands."""
    settings = read_yaml(course / "_config.yml")["sphinx"]["config"]["mathjax3_config"]
    settings["tex"] |= {"inlineMath": [["$", "$"]], "processEscapes": True}
    settings |= {"options": {"enableMenu": False}, "svg": {"fontCache": "none"}}
    engine = (mathjax.folder() / "tex-svg.js").read_text("utf-8")
    return script(f"window.MathJax = {json.dumps(settings)};") + script(engine)


def _text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")
