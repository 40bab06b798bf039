"""The course as one PDF: pages in their order, links inside the file, formulas, an outline."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader
from tiny_site import build
from typer.testing import CliRunner

from coursebook import course as course_tree
from coursebook import one_pdf
from tfcourse.cli import app

TOC = """\
root: index
parts:
  - caption: I Words
    chapters:
      - file: second
"""
FIRST = """\
See [the second](second.md), [below](#below) and <https://example.org/>.
The [source](index.md) of $x^2$ is no page.

## Below

Here.
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A course of two pages whose site is built."""
    (tmp_path / "second.md").write_text(
        "# Second\n\n(far)=\n\nBack to [the first](index.md).", "utf-8"
    )
    build(tmp_path, FIRST)
    (tmp_path / "_build").mkdir()
    (tmp_path / "out").rename(tmp_path / "_build" / "html")
    (tmp_path / "_toc.yml").write_text(TOC, "utf-8")
    return tmp_path


@pytest.mark.browser
def test_pages_become_one_file(site: Path, chromium) -> None:
    target = site / "course.pdf"
    assert one_pdf.join(one_pdf.print_pages(chromium, one_pdf.pages(site)), target, "Two") == 2
    read = PdfReader(target)
    assert read.metadata and read.metadata.title == "Two"
    first, second = (sheet.extract_text() for sheet in read.pages)
    assert "Page" in first and "Below" in first and "Second" in second
    page, part, (inner,) = read.outline
    assert [page.title, part.title, inner.title] == ["Page", "I Words", "Second"]
    assert read.get_destination_page_number(inner) == 1
    links = [link.get_object() for sheet in read.pages for link in sheet["/Annots"]]
    led = [read.pages.index(link["/Dest"][0].get_object()) for link in links if "/Dest" in link]
    assert sorted(led) == [0, 0, 0, 1], "to itself, to below, back from the second, to the second"
    assert [link["/A"]["/URI"] for link in links if "/A" in link] == ["https://example.org/"]
    assert b"file:" not in target.read_bytes(), "no address of this machine"


def test_without_a_site_the_command_says_what_to_run(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "_config.yml").write_text("title: Two\n", "utf-8")
    (site / "_build" / "html" / "second.html").unlink()
    monkeypatch.setattr(course_tree, "root", lambda: site)
    run = CliRunner().invoke(app, ["pdf"])
    assert run.exit_code == 1 and "no _build/html/second.html" in run.output
    assert "`tfcourse book`" in run.output
