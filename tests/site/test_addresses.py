"""What a site gets once it, or its repository, has an address: one setting each."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from coursebook import course
from coursebook.site import build_site
from coursebook.sphinx import card
from coursebook.sphinx import page as sphinx_page

CONFIG = """\
title: A Small Course
author: nobody
only_build_toc_files: true
execute: {execute_notebooks: "off"}
repository: {url: https://github.com/someone/attention, branch: main}
html: {baseurl: https://someone.example/attention}
sphinx:
  extra_extensions: [coursebook.sphinx.page, coursebook.sphinx.card]
  recursive_update: true
  config: {html_context: {questions: "https://ask.example/attention"}}
"""


@pytest.fixture(scope="module")
def addressed(tmp_path_factory) -> Path:
    """A site of a page and a notebook, with both addresses configured."""
    folder = tmp_path_factory.mktemp("addressed")
    (folder / "_config.yml").write_text(CONFIG)
    (folder / "_toc.yml").write_text(
        "format: jb-book\nroot: index\nchapters: [{file: notebooks/01-one}]\n"
    )
    (folder / "index.md").write_text("# Home\n\nA page with a paragraph that is long enough.\n")
    (folder / "notebooks").mkdir()
    cells = [
        nbformat.v4.new_markdown_cell("# One\n\nA lesson with a paragraph that is long enough."),
        nbformat.v4.new_code_cell("1 + 1"),
    ]
    about = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python", "pygments_lexer": "python"},
    }
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=about)
    nbformat.write(notebook, folder / "notebooks" / "01-one.ipynb")
    return build_site(folder, clean=True).parent


def test_a_notebook_can_be_run_on_colab_and_binder(addressed: Path) -> None:
    links = re.findall(r'href="([^"]+)"', (addressed / "notebooks/01-one.html").read_text("utf-8"))
    place = "someone/attention/blob/main/notebooks/01-one.ipynb"
    assert f"https://colab.research.google.com/github/{place}" in links
    assert any(
        link.startswith("https://mybinder.org/v2/gh/someone/attention/main") for link in links
    )


def test_a_site_is_built_again_only_if_something_has_changed(addressed: Path, monkeypatch) -> None:
    folder, home = addressed.parents[1], addressed.parents[1] / "index.md"

    class Built(Exception):
        pass

    def started(*_, **__):
        raise Built

    monkeypatch.setattr(subprocess, "Popen", started)
    assert build_site(folder) == addressed / "index.html"
    text = home.read_text("utf-8")
    home.write_text(text + "More.\n", "utf-8")
    for _ in range(2):  # a build that failed is none
        with pytest.raises(Built):
            build_site(folder)
    home.write_text(text, "utf-8")
    with pytest.raises(Built):
        build_site(folder, strict=False)


def test_binder_installs_what_learners_need() -> None:
    root = course.root(Path(__file__).parent)
    wanted = (root / ".binder" / "requirements.txt").read_text("utf-8").splitlines()[-1]
    assert (root / ".binder" / wanted.removeprefix("-r ")).resolve() == (
        root / "requirements-learner.txt"
    )
    assert "/whl/cpu\n" in (root / ".binder" / "requirements.txt").read_text("utf-8")


def test_every_page_leads_to_where_slips_are_reported_and_questions_asked(addressed: Path) -> None:
    for name in "index", "notebooks/01-one", "search", "404":
        text = (addressed / f"{name}.html").read_text("utf-8")
        [foot] = re.findall(r'<p class="page-ask">(.*?)</p>', text, re.DOTALL)
        title = f"A%20slip%20on%20the%20page%20{name.replace('/', '%2F')}"
        assert f'"https://github.com/someone/attention/issues/new?title={title}"' in foot
        assert '"https://ask.example/attention"' in foot


def test_without_an_address_no_page_sends_anybody_anywhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert "page-ask" not in path.read_text("utf-8"), path


def test_a_link_to_the_site_has_a_picture(addressed: Path) -> None:
    text = (addressed / "index.html").read_text("utf-8")
    assert 'content="https://someone.example/attention/_static/card.png"' in text
    with Image.open(addressed / card.PLACE) as image:
        assert image.size == (1200, 630) and len(image.getcolors(256)) > 20
    assert (addressed / card.PLACE).stat().st_size < 150_000


def test_a_long_title_fits_the_picture() -> None:
    with Image.open(io.BytesIO(card.card("Attention to Transformers", "about it"))) as image:
        right = image.convert("L").crop((1160, 20, 1200, 630))
        assert right.getextrema()[0] > 200, "nothing touches the edge"


def test_the_home_page_is_at_the_sites_own_address(addressed: Path) -> None:
    text = (addressed / "index.html").read_text("utf-8")
    assert '<html lang="en"' in text and "<title>Home" in text and "A page with a" in text
    assert '<link rel="canonical" href="https://someone.example/attention/" />' in text
    assert 'property="og:url" content="https://someone.example/attention/"' in text
    assert "http-equiv=" not in text.lower()


def test_an_address_of_before_leads_to_the_page_of_today(site: Path) -> None:
    pages = [*sphinx_page.MOVED.items()]
    for one in course.lessons(course.root(Path(__file__).parent)):
        pages.append((f"notebooks/{one.name}", one.page))
        if one.evidence.is_file():
            pages.append((f"notebooks/evidence/{one.name}", one.evidence_page))
    for old, new in pages:
        text = (site / f"{old}.html").read_text("utf-8")
        to = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', text)[1]
        assert (site / old).parent.joinpath(to).resolve() == (site / f"{new}.html").resolve()


@pytest.mark.browser
def test_a_section_of_a_lesson_is_found_at_its_address_of_before(page, address: str) -> None:
    page.goto(f"{address}/notebooks/06-multi-head.html#sources")
    page.wait_for_url("**/notebooks/06-multi-head/06-multi-head.html#sources")


def test_an_address_of_before_leads_on_without_a_script(addressed: Path) -> None:
    old, new = "book/preface", sphinx_page.MOVED["book/preface"]
    text = (addressed / f"{old}.html").read_text("utf-8")
    assert '<html lang="en"' in text and "<title>Home" in text
    assert f'<meta http-equiv="refresh" content="0; url=../{new}.html"/>' in text
    assert f'<a href="../{new}.html">' in text, "for a browser that does not follow it"
    assert '<link rel="canonical" href="https://someone.example/attention/" />' in text


def test_the_page_for_no_page_starts_from_the_sites_own_address(addressed: Path) -> None:
    assert '<base href="/attention/"/>' in (addressed / "404.html").read_text("utf-8")
    assert (addressed / "sitemap.xml").is_file()
