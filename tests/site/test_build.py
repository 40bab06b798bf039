"""The built site as files: nothing leaks, nothing comes from elsewhere, no link is dead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from site_pages import toc_pages
from tiny_site import WHOLE, build

from coursebook import commands
from coursebook.course import lesson_of, problem_set_names
from coursebook.site import SiteError, build_site, serve
from coursebook.sphinx.api import first_use

#: A picture written as text, most of a page and nothing that anybody reads.
PICTURE = re.compile(r"[A-Za-z0-9+/]{1000,}")
#: From this length on, a hidden line is not shown on any page.
LONG = 46
HIDDEN = re.compile(
    r"(?:### BEGIN HIDDEN TESTS|=== BEGIN MARK SCHEME ===)(.*?)"
    r"(?:### END HIDDEN TESTS|=== END MARK SCHEME ===)",
    re.DOTALL,
)


class Page(HTMLParser):
    """What a page loads, what it links to, and what can be linked to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.anchors.add(found["id"])
        if tag in ("script", "img", "iframe", "source", "video", "audio") and found.get("src"):
            self.loads.append(found["src"])
        elif (
            tag == "link"
            and found.get("href")
            and "stylesheet icon preload".find((found.get("rel") or "").split()[0]) >= 0
        ):
            self.loads.append(found["href"])
        elif tag == "a" and found.get("href"):
            self.links.append(found["href"])


@cache
def read(path: Path) -> Page:
    return Page(path)


def pages(site: Path) -> Iterator[Path]:
    return (p for p in sorted(site.rglob("*.html")) if "_static" not in p.relative_to(site).parts)


def test_every_page_of_the_table_of_contents_is_there(site: Path) -> None:
    assert (site / "index.html").is_file()
    missing = [name for name in toc_pages() if not (site / name).is_file()]
    assert not missing


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    outside = [
        f"{page.relative_to(site)}: {url}"
        for page in pages(site)
        for url in read(page).loads
        if urlsplit(url).netloc
    ]
    assert not outside, "\n".join(outside)
    sheets = "\n".join(sheet.read_text("utf-8") for sheet in (site / "_static").rglob("*.css"))
    assert not re.findall(r"(?:@import|url\()\s*['\"]?https?://[^)'\"]*", sheets)


def test_no_link_within_the_site_is_dead(site: Path) -> None:
    dead = []
    for page in pages(site):
        for href in read(page).links:
            url = urlsplit(href)
            if url.scheme or url.netloc or page.name == "genindex.html" and href == "#":
                continue
            target = (page.parent / unquote(url.path)).resolve() if url.path else page
            if not target.is_file():
                dead.append(f"{page.relative_to(site)}: {href}: no such file")
            elif url.fragment and target.suffix == ".html":
                known = unquote(url.fragment) in read(target).anchors
                dead += [] if known else [f"{page.relative_to(site)}: {href}: no such place"]
    assert not dead, "\n".join(dead)


def test_no_solution_or_hidden_test_is_shown(site: Path, course: Path) -> None:
    assert not list(site.rglob("solutions"))
    pages = {
        path: PICTURE.sub("", path.read_text("utf-8"))
        for folder in (site, site / "_sources")
        for path in (folder / "notebooks").rglob("*")
        if path.suffix in (".html", ".ipynb")
    }
    shown = "\n".join(pages.values())
    assert "BEGIN SOLUTION" not in shown
    assert "HIDDEN TESTS" not in shown
    assert "MARK SCHEME" not in shown
    only_hidden = {name: _only_hidden(course, name) for name in problem_set_names(course)}
    # Ten megabytes against thousands of lines: only those whose beginning is there are searched.
    beginnings = {line[:LONG] for lines in only_hidden.values() for line in lines}
    there = beginnings.intersection(shown[at : at + LONG] for at in range(len(shown)))
    for name, lines in only_hidden.items():
        assert lines, f"{name} has neither hidden tests nor a rubric"
        own = "\n".join(text for path, text in pages.items() if path.stem == name)
        assert own, f"{name} has no page"
        # Elsewhere a short line, such as `with torch.no_grad():`, is anybody's.
        leaked = [
            line
            for line in lines
            if line in own or (len(line) >= LONG and line[:LONG] in there and line in shown)
        ]
        assert not leaked, f"{name}: shown though hidden: {leaked}"


def _only_hidden(course: Path, name: str) -> set[str]:
    """The lines of a problem set that its release does not show."""
    source = nbformat.read(course / "solutions" / name / f"{name}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in source.cells)
    hidden = {line.strip() for part in HIDDEN.findall(text) for line in part.splitlines()}
    visible = HIDDEN.sub("", text)
    return {
        line
        for line in hidden
        # What is imported gives nothing away, and chapters import the same.
        if len(line) > 20 and line not in visible and not line.startswith(("import ", "from "))
    }


def test_api_entries_link_back_to_the_first_chapter_that_takes_them(
    site: Path, course: Path
) -> None:
    first = first_use(course)
    assert first, "no chapter takes anything of the package"
    linked = 0
    for page in sorted((site / "book" / "api").glob("*.html")):
        text = page.read_text("utf-8")
        for name, chapter in first.items():
            if f'id="{name}"' in text:
                # Several signatures may share an entry; only the first has an id.
                entry = re.split(r'<dt class="sig[^>]* id=', text.split(f'id="{name}"', 1)[1])[0]
                assert f"{lesson_of(chapter).page}.html" in entry, f"{name} has no link"
                linked += 1
    assert linked, "no documented name is taken by a chapter"


@pytest.mark.thorough("failing build")
def test_a_failed_build_fails_again(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text("title: t\nauthor: a\nlogo: ''\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: a\n")
    (tmp_path / "a.md").write_text("# A\n\n## B\n\n[nowhere](#nowhere)\n")
    for _ in range(2):
        with pytest.raises(SiteError, match="nowhere"):
            build_site(tmp_path)
        assert not (tmp_path / "_build" / "html").exists()


def test_serving_what_is_not_built_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="tfcourse book"):
        serve(tmp_path)


def test_a_sheet_is_copied_though_no_page_has_changed(tmp_path: Path) -> None:
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "index.ipynb")
    sheet = tmp_path / "out" / "_static" / "course.css"
    for _ in range(2):
        build(tmp_path, "", WHOLE)
        assert sheet.is_file()
        sheet.unlink()


def test_the_command_that_serves_says_the_address(monkeypatch, tmp_path: Path, capsys) -> None:
    served = []
    monkeypatch.setattr(commands, "_built", lambda: (tmp_path, tmp_path / "index.html"))
    monkeypatch.setattr("coursebook.site.serve", lambda *asked: served.append(asked))
    commands.serve(8001)
    assert served == [(tmp_path, 8001)] and "http://127.0.0.1:8001" in capsys.readouterr().out
