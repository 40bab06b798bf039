"""Live figures outside the site: what a notebook stores, and what is kept in the tree."""

from __future__ import annotations

import ast
import base64
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from coursebook import live
from coursebook.course import figure_folders, figure_numbers, figure_pictures, figure_script
from coursebook.drawings.colours import COLOURS, NEGATIVE
from coursebook.executor import ENVIRONMENT
from coursebook.live.catalogue import FIGURES


def with_address(folder: Path, course: Path, config: str) -> Path:
    """A course like ours whose site has this configuration."""
    (folder / "_config.yml").write_text(config, "utf-8")
    (folder / "book").mkdir()
    (folder / "book" / "figures").symlink_to(course / "book" / "figures")
    (folder / "notebooks").symlink_to(course / "notebooks")
    return folder


@pytest.fixture(autouse=True)
def stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs are stored in the executor's environment."""
    monkeypatch.setenv(live.STILL, ENVIRONMENT[live.STILL])


@pytest.mark.parametrize("name", FIGURES)
def test_a_stored_notebook_shows_the_still_picture(name: str, course: Path) -> None:
    shown = live.figure(name)
    html = shown._repr_html_()
    codes = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)" alt="([^"]{30,})"', html)
    assert len(codes) == len(shown.pictures) >= 1
    for code, _ in codes:
        picture = ElementTree.fromstring(base64.b64decode(code))
        assert picture.get("aria-label") and picture.get("viewBox")
        words = "".join(picture.itertext())
        assert ".live-picture text {" in words, "its styles travel with it"
    assert FIGURES[name].caption in repr(shown) and "<svg" not in html and "<script" not in html
    assert len(html) < 150_000


def test_a_figure_links_to_the_site_if_its_address_is_known(tmp_path: Path, course: Path) -> None:
    here = FIGURES["heads"]
    root = with_address(tmp_path, course, "html: {baseurl: 'https://course.example/a/'}")
    link = "https://course.example/a/notebooks/06-multi-head/06-multi-head.html#figure-heads"
    shown = live.Shown(here, root)
    assert f'<a href="{link}">' in shown._repr_html_() and repr(shown).endswith(link)


@pytest.mark.parametrize("config", ["title: A", "html: {baseurl: ''}", "html: {baseurl: }"])
def test_no_address_gives_no_dead_link(tmp_path: Path, course: Path, config: str) -> None:
    shown = live.Shown(FIGURES["heads"], with_address(tmp_path, course, config))
    assert "<a " not in shown._repr_html_()
    assert "It also moves on the course's site." in shown._repr_html_()
    assert repr(shown).endswith("The live figure: on the course's site")


def test_a_figure_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no live figure 'head'; there are pull-push, word-walk"):
        live.figure("head")


def test_the_figures_have_the_drawings_colours() -> None:
    """A role, and a number below zero, look the same in figures that move and in drawings."""
    style = (live.FOLDER / "picture.css").read_text("utf-8")
    shared = {role: COLOURS[role] for role in ("q", "k", "v")} | {"below": NEGATIVE}
    for name, colour in shared.items():
        assert f"--own: var(--live-{name}, {colour.lower()})" in style, name


def test_each_figure_has_its_script_its_page_and_its_data(course: Path) -> None:
    scripts = {path.stem for path in (live.FOLDER / "scripts").glob("*.js")}
    used = {name.removesuffix(".js") for one in FIGURES.values() for name in one.files()}
    assert used - set(FIGURES) == scripts and set(figure_folders(course)) == set(FIGURES)
    for name, one in FIGURES.items():
        assert figure_script(course, name).is_file()
        folder = figure_folders(course)[name]
        assert one.shown == folder.parents[1].name or folder.parents[1].name == "book", name
    for one in FIGURES.values():
        assert any((course / f"{one.page(course)}{end}").is_file() for end in (".ipynb", ".md"))
        for name in one.stored:
            stored = figure_numbers(course, name).read_text("utf-8")
            json.loads(stored)
            packed = live.packed(stored).encode()
            # What a page loads unasked fits its limit; a model that is started may weigh more.
            unasked = one.at_once and name not in one.later
            assert len(packed) < (1_000_000 if unasked else 4_000_000)


def test_shades_of_weights_have_a_scale_or_numbers(course: Path) -> None:
    seen = set()
    for path in [path for name in FIGURES for path in figure_pictures(course, name)]:
        picture = ElementTree.fromstring(path.read_text("utf-8"))
        shades = [
            one for one in picture.iter()
            if re.search(r"\b(heat|look)\b", one.get("class", "")) and one.get("fill-opacity")
        ]  # fmt: skip
        said = [one.text or "" for one in picture.iter() if one.tag.endswith("text")]
        numbers = [text for text in said if re.fullmatch(r"\d\.\d\d", text)]
        if len({one.get("fill-opacity") for one in shades}) > 1:
            seen.add(path.name.partition(".")[0])
            assert "weight 0" in said or len(numbers) >= len(shades), path.name
    assert {"aligning", "cache", "film", "translator", "inside", "patches"} <= seen


def test_figures_do_not_import_the_subject(course: Path) -> None:
    """What a figure needs of it is written by its make.py."""
    package = course / "coursebook"
    for path in [*(package / "live").glob("*.py"), package / "sphinx" / "figures.py"]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [n for n in names if n.partition(".")[0] == "tfcourse"], path.name


def test_scripts_ask_for_nothing(course: Path) -> None:
    """A page from the disk has no server: no script may fetch, import or name an address."""
    own = [figure_script(course, name) for name in FIGURES]
    for path in [*(live.FOLDER / "scripts").glob("*.js"), *own]:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|\bfetch\(|\bimport\b|XMLHttpRequest|\beval\(", text), path
