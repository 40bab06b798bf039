"""Live figures: pictures that a reader moves on the site, and that stand still in a notebook.

A lesson shows one by a cell that calls :func:`figure`. Each has an entry in
:mod:`coursebook.live.catalogue` and a script of the same name in ``scripts/``, which draws it and
moves it. ``python -m coursebook.live`` lets the scripts draw once and keeps the pictures in
``book/figures``: they are shown in notebooks, and where no script runs.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path

import yaml

from coursebook import course

#: Here are the scripts and styles, which the site copies.
FOLDER = Path(__file__).resolve().parent
STYLES = ("picture.css", "live.css")

#: Numbers of more bytes than this are loaded only if the reader starts the figure.
LIGHT = 20_000

_LABEL = re.compile(r'aria-label="(?P<alt>[^"]*)"')


@dataclass(frozen=True)
class Figure:
    """A live figure: what it is called, what is said below it, and what its script is given.

    Attributes
    ----------
    name:
        Lower-case words joined by hyphens; the script is ``scripts/NAME.js``.
    title:
        The question that the figure answers, in a few words.
    caption:
        What to do and what to see, in a sentence or two that also suit the still picture.
    page:
        The site's page that shows it, without its ending.
    data:
        What the script is given. Tests read the same.
    stored:
        Names of JSON files in ``book/figures`` that the script reads too.
    scripts:
        The models that it runs, as scripts; ``layers.js`` comes with them.
    """

    name: str
    title: str
    caption: str
    page: str
    data: dict = field(default_factory=dict)
    stored: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The figure's anchor on its page."""
        return f"figure-{self.name}"

    def files(self) -> list[str]:
        """The scripts that a page with this figure loads, in order."""
        shared = ("kit", "layers") if self.scripts else ("kit",)
        return [f"{name}.js" for name in (*shared, *self.scripts, self.name)]

    def needs(self) -> list[str]:
        """The files of numbers that it is given.

        Small ones come when the reader comes near the figure, a trained model (more than
        :data:`LIGHT` bytes) when the reader starts it.
        """
        return [f"data-{name}.js" for name in self.stored]

    def html(
        self,
        pictures: str = "",
        caption: str | None = None,
        needs: Sequence[str] = (),
        weight: int = 0,
    ) -> str:
        """The figure on a page: still pictures and the caption, which the script takes over.

        Parameters
        ----------
        pictures:
            What to show until the script has drawn, as HTML.
        caption:
            The caption as HTML; by default the plain text.
        needs:
            Addresses of what :meth:`needs` names, unless the page loads it at once.
        weight:
            How many bytes these have.
        """
        data = json.dumps(self.data).replace("<", "\\u003c")
        later = f' data-needs="{escape(" ".join(needs))}"' if needs else ""
        later += f' data-weighs="{round(weight / 1000)} KB"' if weight > LIGHT else ""
        said = f"<p>{escape(self.caption)}</p>" if caption is None else caption
        return (
            f'<figure class="live" id="{self.id}" data-figure="{self.name}"{later}>'
            f'<p class="live-title">{escape(self.title)}</p>'
            f'<div class="live-stage"><div class="live-panels">{pictures}</div></div>'
            f'<script type="application/json">{data}</script>'
            f"<figcaption>{said}</figcaption></figure>"
        )


@dataclass(frozen=True)
class Still:
    """What a notebook shows of a live figure; on the site the cell gives way to the live one."""

    figure: Figure
    root: Path

    @cached_property
    def pictures(self) -> list[Path]:
        """The stored pictures of the figure, in order."""
        return stills(self.root, self.figure.name)

    def _link(self) -> str:
        if site := address(self.root):
            return f"{site}/{self.figure.page}.html#{self.figure.id}"
        return ""

    def __repr__(self) -> str:
        where = self._link() or "on the course's site"
        return f"{self.figure.title} {self.figure.caption}\nThe live figure: {where}"

    def _repr_html_(self) -> str:
        link = self._link()
        where = f'<a href="{link}">on the course\'s site</a>' if link else "on the course's site"
        images = "".join(_image(path) for path in self.pictures)
        return (
            f"<div><p><strong>{escape(self.figure.title)}</strong></p>{images}"
            f"<p>{escape(self.figure.caption)} <em>This picture moves {where}.</em></p></div>"
        )


def _image(path: Path) -> str:
    """A picture inside the page, on white, as wide as a telephone."""
    svg = path.read_text("utf-8")
    code = base64.b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{code}" alt="{alt(svg)}" '
        'style="width: 380px; max-width: 100%; background: white; padding: 8px">'
    )


def alt(svg: str) -> str:
    """What a picture says to those who cannot see it, escaped as in the file."""
    found = _LABEL.search(svg)
    return found["alt"] if found else ""


def stills(root: Path, name: str) -> list[Path]:
    """The stored pictures of the figure ``name``, in order."""
    return sorted((root / "book" / "figures").glob(f"{name}.[0-9].svg"))


def address(root: Path) -> str:
    """Where the site is published: ``html: baseurl`` in ``_config.yml``; empty if unset."""
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    return str(config.get("html", {}).get("baseurl") or "").rstrip("/")


def pick(name: str) -> Figure:
    """The figure of that name.

    Raises
    ------
    ValueError
        If there is none; the message lists them.
    """
    from coursebook.live.catalogue import FIGURES

    if name not in FIGURES:
        raise ValueError(f"there is no live figure {name!r}; there are {', '.join(FIGURES)}")
    return FIGURES[name]


def figure(name: str) -> Still:
    """Show the live figure ``name``: in a notebook, its still picture and where the live one is.

    Raises
    ------
    ValueError
        If there is no figure of that name.
    FileNotFoundError
        If the course's folder is not found; the message says how to name it.
    """
    return Still(pick(name), course.root())


def stored(name: str) -> dict:
    """What the file ``NAME.json`` in ``book/figures`` holds: what the figures compute with.

    Raises
    ------
    FileNotFoundError
        If the course's folder, or the file in it, is not found.
    """
    path = course.root() / "book" / "figures" / f"{name}.json"
    return json.loads(path.read_text("utf-8"))


#: A row of whole numbers, eight or more, in JSON without spaces.
_ROW = re.compile(r"\[(-?\d+(?:,-?\d+){7,})\]")


def packed(data: str) -> str:
    """JSON as JavaScript in which rows of whole numbers take a character each.

    0, -1, 1, -2, 2 and so on are the characters from # on, the backslash left out.
    """

    def row(found: re.Match[str]) -> str:
        numbers = (int(number) for number in found[1].split(","))
        codes = (2 * n if n >= 0 else -2 * n - 1 for n in numbers)
        text = "".join(chr(code + 35 + (code >= 57)) for code in codes)
        return f'Live.unpacked("{text}")'

    return _ROW.sub(row, data)


def publish(root: Path, target: Path) -> None:
    """Write what pages with live figures load into the folder ``target``: scripts, styles, data."""
    from coursebook.live.catalogue import FIGURES

    target.mkdir(parents=True, exist_ok=True)
    for path in (*(FOLDER / "scripts").glob("*.js"), *(FOLDER / name for name in STYLES)):
        (target / path.name).write_bytes(path.read_bytes())
    for name in {name for one in FIGURES.values() for name in one.stored}:
        data = (root / "book" / "figures" / f"{name}.json").read_text("utf-8").strip()
        text = f"Live.data.{name} = {packed(data)};\n"
        (target / f"data-{name}.js").write_text(text, "utf-8")
    for path in (root / "book" / "figures").glob("*.svg"):
        (target / path.name).write_bytes(path.read_bytes())
