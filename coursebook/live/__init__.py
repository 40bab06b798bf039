"""Live figures: pictures that a reader can move, on the site and in a notebook.

A lesson shows one with a cell that calls :func:`figure`. Each has an entry in
:mod:`coursebook.live.catalogue` and a folder of its name with the script that draws and moves it,
``figure.js``. ``python -m coursebook.live`` has the scripts draw once and stores the pictures
beside them. Stored notebooks show these, and so do pages on which no script runs.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from types import ModuleType

from coursebook import course
from coursebook.live.alone import frame
from coursebook.live.catalogue import FIGURES
from coursebook.live.figure import Figure
from coursebook.yaml_files import read_yaml

#: The folder of the scripts and styles, which the site copies.
FOLDER = Path(__file__).resolve().parent
STYLES = ("picture.css", "live.css")

_LABEL = re.compile(r'aria-label="(?P<alt>[^"]*)"')


#: Set where outputs are stored: they keep the still pictures, which are small and move nowhere.
STILL = "TFCOURSE_STILL_FIGURES"


@dataclass(frozen=True)
class Shown:
    """What a notebook shows of a live figure: on the site the live one replaces the cell."""

    figure: Figure
    root: Path

    @cached_property
    def pictures(self) -> list[Path]:
        """The stored pictures of the figure, in order."""
        return course.figure_pictures(self.root, self.figure.name)

    def _link(self) -> str:
        if site := address(self.root):
            return f"{site}/{self.figure.page(self.root)}.html#{self.figure.id}"
        return ""

    def __repr__(self) -> str:
        where = self._link() or "on the course's site"
        return f"{self.figure.title} {self.figure.caption}\nThe live figure: {where}"

    def _repr_html_(self) -> str:
        if not os.environ.get(STILL):
            return self.frame()
        link = self._link()
        where = f'<a href="{link}">on the course\'s site</a>' if link else "on the course's site"
        images = "".join(_image(path) for path in self.pictures)
        return (
            f"<div><p><strong>{escape(self.figure.title)}</strong></p>{images}"
            f"<p>{escape(self.figure.caption)} <em>Run this cell to move the picture here. It also "
            f"moves {where}.</em></p></div>"
        )

    def frame(self, more: str = "") -> str:
        """The live figure in a frame that needs nothing else; ``more`` is a style sheet to add."""
        styles = "".join(map(_text, (*STYLES, "alone.css"))) + more
        return frame(self.figure, self._scripts(), styles)

    def _scripts(self) -> list[str]:
        """What the figure runs: the data come after the kit, which makes room for them."""
        *shared, _ = self.figure.files()  # the last is its own
        kit, *others = [_code(_text(f"scripts/{file}")) for file in shared]
        others.append(_code(course.figure_script(self.root, self.figure.name).read_text("utf-8")))
        return [_text("alone.js"), kit, *(_data(self.root, n) for n in self.figure.stored), *others]


def _code(script: str) -> str:
    """A script without the lines that are comments: a notebook saves it with each output."""
    return re.sub(r"(?m)^[ \t]*//.*\n", "", script)


def _text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _image(path: Path) -> str:
    """A picture embedded in the page, on white, as wide as a phone's screen."""
    svg = path.read_text("utf-8")
    code = base64.b64encode(svg.encode()).decode()
    return (
        f'<img src="data:image/svg+xml;base64,{code}" alt="{alt(svg)}" '
        'style="width: 380px; max-width: 100%; background: white; padding: 8px">'
    )


def alt(svg: str) -> str:
    """A picture's description for those who cannot see it, escaped as in the file."""
    found = _LABEL.search(svg)
    return found["alt"] if found else ""


def address(root: Path) -> str:
    """The site's published address: ``html: baseurl`` in ``_config.yml``; empty if unset."""
    config = read_yaml(root / "_config.yml")
    return str(config.get("html", {}).get("baseurl") or "").rstrip("/")


def pick(name: str) -> Figure:
    """The figure with that name.

    Raises
    ------
    ValueError
        If there is none; the message lists them.
    """
    if name not in FIGURES:
        raise ValueError(f"there is no live figure {name!r}; there are {', '.join(FIGURES)}")
    return FIGURES[name]


def figure(name: str) -> Shown:
    """Show the live figure ``name``. Where outputs are stored, it is its still picture and a link.

    Raises
    ------
    ValueError
        If there is no figure with that name.
    FileNotFoundError
        If the course's folder is not found; the message says how to set it.
    """
    return Shown(pick(name), course.root())


def stored(name: str) -> dict:
    """The content of ``NAME.json`` in a figure's folder: the numbers that it computes with.

    Raises
    ------
    FileNotFoundError
        If the course's folder or the file is not found.
    """
    return json.loads(course.figure_numbers(course.root(), name).read_text("utf-8"))


def store(name: str, numbers: dict) -> None:
    """Write the numbers that :func:`stored` reads, and print the file's size.

    A new file goes to the folder of the figure of its name.
    """
    root = course.root()
    try:
        path = course.figure_numbers(root, name)
    except FileNotFoundError:
        path = course.figure_folders(root)[name] / f"{name}.json"
    path.write_text(json.dumps(numbers, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} KB")


def maker(name: str) -> ModuleType:
    """The script ``make.py`` that wrote ``NAME.json``, as a module.

    It trains the figure's model or draws its numbers, and loads them into the package's classes.
    """
    path = course.figure_numbers(course.root(), name).with_name("make.py")
    spec = importlib.util.spec_from_file_location(f"make_{name}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: Eight or more integers in a row, in JSON without spaces.
_ROW = re.compile(r"\[(-?\d+(?:,-?\d+){7,})\]")


#: What a text of numbers leaves out: a page's HTML or JSON would write these in several characters.
_ESCAPED = "<>\\"


def as_text(numbers: Iterable[int]) -> str:
    """Whole numbers as text, one character each.

    0, -1, 1, -2, 2 and so on are encoded as the characters from ( on, without <, > and backslash.
    """
    text = []
    for number in numbers:
        code = 40 + (2 * number if number >= 0 else -2 * number - 1)
        for left_out in _ESCAPED:
            code += code >= ord(left_out)
        text.append(chr(code))
    return "".join(text)


def as_numbers(text: str) -> list[int]:
    """The whole numbers that :func:`as_text` wrote."""
    import numpy as np  # a model has millions of them

    code = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.int64)
    code -= 40 + sum((code > ord(left_out)).astype(np.int64) for left_out in _ESCAPED)
    return np.where(code % 2, -(code + 1) // 2, code // 2).tolist()


@cache  # a model has millions of numbers, and is on several pages of a site
def packed(data: str) -> str:
    """JSON as JavaScript in which rows of integers are written by :func:`as_text`."""

    def row(found: re.Match[str]) -> str:
        return f'Live.unpacked("{as_text(map(int, found[1].split(",")))}")'

    return _ROW.sub(row, data)


def _data(root: Path, name: str) -> str:
    """The numbers that a figure computes with, as the script that brings them to a page."""
    data = course.figure_numbers(root, name).read_text("utf-8")
    return f"Live.data.{name} = {packed(data).strip()};\n"


def publish(root: Path, target: Path) -> None:
    """Write the files that pages with live figures load to ``target``: scripts, styles, data."""
    target.mkdir(parents=True, exist_ok=True)
    for path in (*(FOLDER / "scripts").glob("*.js"), *(FOLDER / name for name in STYLES)):
        (target / path.name).write_bytes(path.read_bytes())
    for name in FIGURES:
        (target / f"{name}.js").write_bytes(course.figure_script(root, name).read_bytes())
    for name in {name for one in FIGURES.values() for name in one.stored}:
        (target / f"data-{name}.js").write_text(_data(root, name), "utf-8")
    for path in (path for name in FIGURES for path in course.figure_pictures(root, name)):
        (target / path.name).write_bytes(path.read_bytes())
