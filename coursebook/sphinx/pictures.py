"""A notebook's pictures: each opens on its own, fills its column, and can be read.

A drawing is as wide as its column, up to :data:`LARGER` times its own width. Any picture shrinks
with the page until its smallest text is :data:`LEGIBLE` pixels high. On an even narrower page it
scrolls sideways in its frame (``plots.css``). The code that drew it is folded below it.
"""

from __future__ import annotations

import html
import math
import re
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

from coursebook.drawn import WORDS
from coursebook.sphinx import dark, tree

#: Minimum height of a picture's text, in pixels.
LEGIBLE = 9.0

#: Minimum height of a subscript, in pixels.
LEGIBLE_SUBSCRIPT = 7.0

#: How many times its own width a drawing may be shown, so that its words are no headlines.
LARGER = 1.4

_SHOWN = re.compile(
    r'<img [^>]*?alt="(?P<alt>[^"]*)"[^>]*?src="(?P<address>[^"]*_images/(?P<name>[^"]+))"[^>]*>'
)
_SIZE = re.compile(r'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"')
#: Matplotlib draws text at 100 points and scales it to its size.
_WORD = re.compile(r"scale\((0\.\d+) -")
#: A subscript, and a subscript of one, in a word: the share of the word's size.
_SUBSCRIPT = re.compile(r"scale\((0\.7|0\.49)\)")
#: A font size that a plot's cell sets, in points.
_NAMED = re.compile(r"\bfontsize=(\d+)")


def named(notebook: Path) -> dict[str, int]:
    """The smallest font size of each plot in a notebook, in points, by its description."""
    return {
        dark.described(cell, output): min(WORDS, *map(int, sizes))
        for cell in tree.cells(notebook)
        for output in cell.get("outputs", [])
        if (sizes := _NAMED.findall(tree.source(cell)))
    }


def measures(picture: Path, points: int = WORDS) -> tuple[float, float, float]:
    """A picture's width and height, and the size of its smallest text, in pixels.

    A subscript counts as larger than it is, because it may be smaller than a word. Text in a
    raster image is ``points`` high.
    """
    if picture.suffix == ".svg":
        text = picture.read_text("utf-8")
        found = _SIZE.search(text)
        if not found:
            raise ValueError(f"{picture} does not say its width and height in points")
        width, height = (float(size) * 4 / 3 for size in found.groups())
        words = min(map(float, _WORD.findall(text)), default=1.0) * 400 / 3
        subscript = min(map(float, _SUBSCRIPT.findall(text)), default=1.0)
        return width, height, words * min(1.0, subscript * LEGIBLE / LEGIBLE_SUBSCRIPT)
    with Image.open(picture) as image:
        dots = image.info.get("dpi", (72, 72))[0]
        return *image.size, points * dots / 72


def frame_pictures(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give each picture its size, the widths that it may have, and a link to it."""
    notebook = Path(app.srcdir, page).with_suffix(".ipynb")
    if "body" not in context or not notebook.is_file():
        return
    sizes = named(notebook)
    sources = {name: Path(app.srcdir, source) for source, name in app.builder.images.items()}

    def framed(shown: re.Match[str]) -> str:
        width, height, words = measures(
            sources[shown["name"]], sizes.get(html.unescape(shown["alt"]), WORDS)
        )
        widths = f"--least: {math.ceil(width * min(LEGIBLE / words, 1))}px"
        if shown["name"].endswith(".svg"):
            widths += f"; --most: {LARGER * width:.0f}px"
        sized = f'<img width="{width:.0f}" height="{height:.0f}" {shown[0][5:]}'
        link = f'<a href="{shown["address"]}">{sized}</a>'
        return f'<div class="picture" style="{widths}">{link}</div>'

    context["body"] = _SHOWN.sub(framed, context["body"])


def code_below(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Move the folded code of a picture from above it to below it."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") != "cell_code" or "above-input" not in cell[0]["classes"]:
            continue
        if next(cell.findall(nodes.image), None):
            cell["classes"].append("code-below")
            cell.append(cell.pop(0))


def setup(app: Sphinx) -> dict:
    app.connect("doctree-resolved", code_below)
    app.connect("html-page-context", frame_pictures, priority=800)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
