"""Figures on a dark page.

A plot or a drawing follows the page: a filter in the style sheet (``plots.css``) inverts its
lightness and keeps its hues. A picture in which darkness has a meaning, such as a heat map or a
photograph, stays on the white card it was drawn on, because the text refers to its dark parts.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from sphinx.application import Sphinx

from coursebook.drawn import FIGURE_CONTENT
from coursebook.sphinx import tree

#: The CSS class of a picture that keeps its card.
CARD = "on-a-card"

_IMAGE = re.compile(r'<img [^>]*?alt="(?P<alt>[^"]*)"')


def stays_on_a_card(output: dict) -> bool:
    """Whether a stored output is a raster image: a heat map or a photograph.

    A drawing made with :mod:`coursebook.drawings` is not, because it is an SVG.
    """
    if "image/svg+xml" in output.get("data", {}):
        return False
    axes = output.get("metadata", {}).get(FIGURE_CONTENT, {}).get("axes", [])
    return any(one.get("counts", {}).get("image") for one in axes)


def cards(notebook: Path) -> set[str]:
    """The descriptions of those pictures in a notebook that keep their cards."""
    return {
        described(cell, output)
        for cell in tree.cells(notebook)
        for output in cell.get("outputs", [])
        if stays_on_a_card(output)
    } - {""}


def described(cell: dict, output: dict) -> str:
    """A picture's description: the output's own, or its cell's."""
    own = output.get("metadata", {}).get("image/png", {}).get("alt")
    return own or cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")


def mark_cards(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Mark the pictures that keep their cards with their CSS class."""
    path = Path(app.srcdir, page).with_suffix(".ipynb")
    if "body" not in context or not path.is_file():
        return
    kept = cards(path)

    def marked(image: re.Match[str]) -> str:
        if html.unescape(image["alt"]) not in kept:
            return image[0]
        return image[0].replace("<img ", f'<img class="{CARD}" ', 1)

    context["body"] = _IMAGE.sub(marked, context["body"])


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", mark_cards)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
