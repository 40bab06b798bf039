"""A live figure in a notebook: a page of its own that needs neither a network nor an extension.

The page lies in an ``<iframe srcdoc>`` of the cell's output, which JupyterLab, Notebook, Colab and
VS Code show alike. It takes the notebook's light or dark, and makes its frame as high as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from coursebook.live.figure import Figure

#: The frame's height, in pixels, until the figure has measured itself.
HEIGHT = 520


def frame(figure: Figure, scripts: Iterable[str], styles: str) -> str:
    """The frame for a notebook's output.

    Parameters
    ----------
    figure:
        What to show.
    scripts:
        ``alone.js``, then the figure's scripts and data, in the order in which they are to run.
    styles:
        The figures' style sheets and ``alone.css``.
    """
    title = escape(figure.title)
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{styles}</style></head><body>{figure.html()}{''.join(map(script, scripts))}"
        "</body></html>"
    )
    return (
        f'<iframe srcdoc="{escape(page)}" title="{title}" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
    )


def script(text: str) -> str:
    """A script that a page can hold: its end must not occur in it."""
    safe = text.replace("</script", "<\\/script")
    return f"<script>{safe}</script>"
