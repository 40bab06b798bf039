"""Who made the course and how to cite it: on the site, from ``CITATION.cff`` alone."""

from __future__ import annotations

from pathlib import Path

import yaml
from tiny_site import build

from coursebook.sphinx import cite

PEOPLE = {
    "title": "A Course",
    "version": "2.0",
    "date-released": "2026-11-22",
    "authors": [
        {"given-names": "Ada", "family-names": "Lovelace"},
        {"name": "The friends of <maths>"},
    ],
}


def test_names_and_entry() -> None:
    assert cite.authors(PEOPLE) == ["Ada Lovelace", "the friends of <maths>"]
    assert cite.listed(["a", "b", "c"]) == "a, b and c" and cite.listed(["a"]) == "a"
    entry = cite.bibtex(PEOPLE, "https://a.example")
    assert entry.splitlines() == [
        "@misc{acourse2026,",
        "  author = {Ada Lovelace and {The friends of <maths>}},",
        "  title = {{A Course}},",
        "  year = {2026},",
        "  note = {Version 2.0},",
        "  url = {https://a.example},",
        "}",
    ]


def test_a_page_shows_them(tmp_path: Path) -> None:
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(PEOPLE), "utf-8")
    html, warnings = build(tmp_path, "```{citation}\n```", ("coursebook.sphinx.cite",))
    assert not warnings
    assert "Made by Ada Lovelace and the friends of &lt;maths&gt;." in html
    assert "(2026). <em>A Course</em>, version 2.0.</p>" in html
    assert "repository" not in html, "no address is configured"


def test_a_course_without_the_file_is_told_so(tmp_path: Path) -> None:
    _, warnings = build(tmp_path, "```{citation}\n```", ("coursebook.sphinx.cite",))
    assert "CITATION.cff is missing" in warnings


def test_the_site_takes_its_authors_from_there(site: Path, course: Path) -> None:
    config = yaml.safe_load((course / "_config.yml").read_text("utf-8"))
    assert "author" not in config
    names = cite.listed(cite.authors(cite.read(course)))
    for page in "index.html", "notebooks/05-self-attention/05-self-attention.html":
        footer = (site / page).read_text("utf-8").split("component-author", 1)[1]
        assert f"By {names}" in " ".join(footer.split("</p>", 1)[0].split())
