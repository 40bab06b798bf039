"""Render the grader's pages: one style, no script, all text escaped."""

from __future__ import annotations

import logging
import re
from functools import cache, lru_cache
from pathlib import Path
from time import process_time
from urllib.parse import quote

import jinja2
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer, get_lexer_by_name

from nbjudge.wording import measured, number, of, share

TEMPLATES = Path(__file__).parent / "templates"

#: The folder of the problem sets' pages in a class's results; see :mod:`nbjudge.report.overview`.
OVERVIEWS = "overview"

#: Maximum number of characters in a source that is highlighted; more would take too long.
MAX_COLOURED = 50_000

#: A source with this many blanks in a row is not highlighted either: the time is quadratic in them.
_BLANKS = re.compile(r"\s{400}")


@cache
def _formatter(background: str = "light") -> HtmlFormatter:
    """The formatter for Python, in a high-contrast style for a light or a dark page.

    Importing the style's package enables every library's logging, which is undone here.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    formatter = HtmlFormatter(style=f"a11y-high-contrast-{background}", nowrap=True)
    root.handlers[:] = handlers
    root.setLevel(level)
    return formatter


def feedback_links(into: Path, student: str, problem_set: str) -> dict[str, str]:
    """Links to a student's feedback pages, by notebook, from a page in a folder of ``into``."""
    folder = Path("feedback", student, problem_set)
    return {
        path.stem: "../" + quote((folder / path.name).as_posix())
        for path in sorted((into / folder).glob("*.html"))
    }


def can_be_coloured(source: str) -> bool:
    """Whether this source can be highlighted in reasonable time."""
    return len(source) <= MAX_COLOURED and not _BLANKS.search(source)


class Colours:
    """Decides which cells the formgrader may highlight.

    Highlighting can take quadratic time in a source's length, and the formgrader waits for it.
    """

    #: Number of characters of a submission that take reasonable time whatever they are.
    FEW = 8_000

    #: Maximum length of a line; a longer one can take minutes, and nobody would read it.
    LINE = 2_000

    #: Seconds of processor time for all cells together.
    SECONDS = 1.0

    def __init__(self) -> None:
        self.characters, self.seconds = 0, 0.0

    def has_time_for(self, source: str) -> bool:
        """Whether there is time left for this cell after those before it."""
        self.characters += len(source)
        if not can_be_coloured(source) or max(map(len, source.splitlines()), default=0) > self.LINE:
            return False
        if self.characters <= self.FEW:
            return True
        began = process_time()
        for _ in get_lexer_by_name("ipython3").get_tokens_unprocessed(source):
            if self.seconds + process_time() - began > self.SECONDS:
                break
        self.seconds += process_time() - began
        return self.seconds <= self.SECONDS


@lru_cache(500)
def code(source: str) -> Markup:
    """Python as highlighted HTML, cached because most cells are the same for everyone."""
    if not can_be_coloured(source):
        return escape(source)
    return Markup(highlight(source, PythonLexer(stripnl=False), _formatter()))


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": number, "of": of, "code": code, "measured": measured}
    environment.filters["share"] = share
    return environment


@cache
def style(background: str = "light") -> Markup:
    """The style of highlighted code on a ``light`` or ``dark`` background, as CSS."""
    return Markup(_formatter(background).get_style_defs(".highlight"))


def page(template: str, **content: object) -> str:
    """Render a template with this content."""
    styles = {"style": style(), "dark_style": style("dark")}
    return _environment().get_template(template).render(**styles, **content)
