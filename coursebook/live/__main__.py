"""``python -m coursebook.live``: have every live figure draw itself, and store its still pictures.

``python -m coursebook.live NAME...`` draws only these. Needs Chromium. Run it after changing a
figure, its data or its styles; a test compares them.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from html import escape
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

from coursebook import course
from coursebook.browser import chromium
from coursebook.live import FOLDER, STYLES, Figure, pick, publish
from coursebook.live.catalogue import FIGURES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Returns each picture of a figure as first drawn, and which style rules it needs. An ``unstored``
#: one is another form of one that is stored.
DRAWN = """(figure, selectors) => [
  ...figure.querySelectorAll('svg.live-picture:not(.unstored)')].map(one =>
  [one.outerHTML, selectors.map(name => one.matches(name) || one.querySelector(name) !== null)])"""


def bare_page(root: Path, folder: Path, figures: list[Figure]) -> Path:
    """A page with nothing but these figures, to be opened from disk."""
    publish(root, folder)
    files = dict.fromkeys(name for one in figures for name in (*one.files(), *one.needs()))
    head = "".join(f'<link rel="stylesheet" href="{name}">' for name in STYLES)
    head += "".join(f'<script defer src="{escape(name)}"></script>' for name in files)
    body = "".join(one.html() for one in figures)
    page = folder / "index.html"
    page.write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Live figures</title>'
        f"{head}</head><body><main><h1>Live figures</h1>{body}</main></body></html>",
        "utf-8",
    )
    return page


def rules() -> dict[str, str]:
    """The style rules for pictures, in order: selector → whole rule."""
    style = re.sub(r"/\*.*?\*/", "", (FOLDER / "picture.css").read_text("utf-8"), flags=re.S)
    return {
        found["selector"].strip(): " ".join(found[0].split())
        for found in re.finditer(r"(?P<selector>[^{}]+)\{[^{}]*\}", style)
    }


def alone(svg: str, style: str) -> str:
    """A picture taken out of its page: with its own styles, and with nothing left to drag."""
    svg = re.sub(r'<g class="places".*?</g>', "", svg)
    svg = re.sub(r' (tabindex|role|aria-value\w+)="[^"]*"', "", svg)
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" role="img" ', 1)
    return svg.replace(">", f"><style>{style}</style>", 1) + "\n"


def draw(
    browser: Browser, root: Path, names: Iterable[str] = tuple(FIGURES)
) -> dict[str, list[str]]:
    """The still pictures of these figures, drawn by a Playwright browser.

    A picture carries only the rules that apply to it, so that a new figure's style changes neither
    another figure's picture nor a lesson that stores one.
    """
    style, figures = rules(), {name: pick(name) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        # A figure that moves as it begins would be caught on its way.
        page = browser.new_page(reduced_motion="reduce")
        page.goto(bare_page(root, Path(folder), list(figures.values())).as_uri())
        drawn = {
            name: page.locator(f"#{one.id}").evaluate(DRAWN, list(style))
            for name, one in figures.items()
        }
        page.close()
    return {
        name: [alone(svg, " ".join(compress(style.values(), needed))) for svg, needed in pictures]
        for name, pictures in drawn.items()
    }


def main(names: list[str]) -> None:
    """Draw the still pictures of these figures, or of all, and store them."""
    try:
        for name in names:
            pick(name)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    root = course.root()
    with chromium() as browser:
        drawn = draw(browser, root, names or FIGURES)
    for name, pictures in drawn.items():
        for old in course.figure_pictures(root, name):
            old.unlink()
        for number, svg in enumerate(pictures, 1):
            (course.figure_folders(root)[name] / f"{name}.{number}.svg").write_text(svg, "utf-8")
        print(f"{name}: {len(pictures)} pictures")


if __name__ == "__main__":
    main(sys.argv[1:])
