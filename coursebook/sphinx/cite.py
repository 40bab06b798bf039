"""``{citation}``: who made the course and how to cite it, both read from ``CITATION.cff``."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

from coursebook.yaml_files import read_yaml

#: The file that names the authors, the version and its date, and nothing else does.
PLACE = "CITATION.cff"


def read(root: Path) -> dict[str, Any]:
    """The fields of the course's ``CITATION.cff``; empty if there is no such file."""
    path = root / PLACE
    return read_yaml(path) if path.is_file() else {}


def authors(cited: dict[str, Any]) -> list[str]:
    """The authors' names, as a sentence has them: persons by both names, others by theirs."""
    names = []
    for one in cited.get("authors", []):
        person = " ".join(filter(None, (one.get("given-names"), one.get("family-names"))))
        name = person or str(one.get("name", ""))
        # "By the authors of ...": an article begins no sentence here.
        names.append(re.sub(r"^The ", "the ", name))
    return names


def listed(names: list[str]) -> str:
    """Names in a row, with "and" before the last."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def bibtex(cited: dict[str, Any], address: str = "") -> str:
    """A BibTeX entry for the course."""
    year = str(cited["date-released"])[:4]
    # Braces keep BibTeX from taking a group's name apart.
    people = [
        one if {"family-names", "given-names"} & set(entry) else f"{{{_capital(one)}}}"
        for one, entry in zip(authors(cited), cited["authors"], strict=True)
    ]
    fields = {
        "author": " and ".join(people),
        "title": f"{{{cited['title']}}}",
        "year": year,
        "note": f"Version {cited['version']}",
        "url": address,
    }
    key = re.sub(r"\W", "", str(cited["title"]).lower()) + year
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}"])


class Citation(SphinxDirective):
    """Who made the course, how to cite it and, if its addresses are configured, where it lives."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / PLACE))
        cited = read(root)
        if not cited:
            raise self.error(f"citation: {PLACE} is missing")
        names, year = listed(authors(cited)), str(cited["date-released"])[:4]
        repository = self.config.html_theme_options.get("repository_url", "").rstrip("/")
        address = self.config.html_baseurl or repository
        entry = bibtex(cited, address)
        whole = nodes.paragraph(text=f"{_capital(names)} ({year}). ")
        where = f", {address}" if address else ""
        whole += [
            nodes.emphasis(text=cited["title"]),
            nodes.Text(f", version {cited['version']}{where}."),
        ]
        fold = f"<details><summary>As BibTeX</summary><pre>{escape(entry)}</pre></details>"
        found: list[nodes.Node] = [
            nodes.paragraph(text=f"Made by {names}. To cite the course:"),
            whole,
            nodes.raw("", fold, format="html"),
        ]
        if repository:
            link = nodes.reference("", "The course's repository", refuri=repository)
            found.append(nodes.paragraph("", "", link))
        return found


def name_authors(app: Sphinx, config: Config) -> None:
    """Give every page's footer the authors' names."""
    names = authors(read(Path(app.srcdir)))
    if names:
        config.author = listed(names)


def setup(app: Sphinx) -> dict:
    app.add_directive("citation", Citation)
    app.connect("config-inited", name_authors)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
