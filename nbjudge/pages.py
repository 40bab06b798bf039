"""What the pages of the grader are made with: one look, no script, every text escaped."""

from __future__ import annotations

import logging
import re
from functools import cache, lru_cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup
    from pygments.formatters import HtmlFormatter

TEMPLATES = Path(__file__).parent / "templates"

#: A longer source is shown without colours: to find them would take too long.
MAX_COLOURED = 50_000

#: So is one with as many blank lines in a row, for which the time grows with their square.
_BLANKS = re.compile(r"\s{400}")


@cache
def _formatter() -> HtmlFormatter:
    """Colours Python, with enough contrast for everybody.

    Loading the style's package turns on every library's log: that is undone.
    """
    from pygments.formatters import HtmlFormatter

    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    found = HtmlFormatter(style="a11y-high-contrast-light", nowrap=True)
    root.handlers[:] = handlers
    root.setLevel(level)
    return found


def number(value: float | None) -> str:
    """Points as a reader writes them: ``3``, ``2.5``; a dash for what is not known."""
    return "–" if value is None else f"{round(value, 2):g}"


def of(result) -> str:
    """A result's score and what could be had: ``3 of 4``, ``– of 4`` while it is not known."""
    return f"{number(result.score)} of {number(result.max_score)}"


def measured(value: float) -> str:
    """A measured number: whole ones with commas, others to four digits."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.4g}"


def can_be_coloured(source: str) -> bool:
    """Whether to find the colours of this source takes no undue time."""
    return len(source) <= MAX_COLOURED and not _BLANKS.search(source)


class Colours:
    """Says which cells the formgrader may show in colours: it looks for them in our stead.

    To look for colours can take the square of a source's length, and the formgrader waits for it.
    """

    #: So many characters of a submission take no undue time, whatever they are.
    FEW = 8_000

    #: No line that anybody reads is longer; one alone can take minutes.
    LINE = 2_000

    #: Seconds of the processor that all of them may take.
    SECONDS = 1.0

    def __init__(self) -> None:
        self.characters, self.seconds = 0, 0.0

    def has_time_for(self, source: str) -> bool:
        """Whether there is time for this one too, after those before it."""
        self.characters += len(source)
        if not can_be_coloured(source) or max(map(len, source.splitlines()), default=0) > self.LINE:
            return False
        if self.characters <= self.FEW:
            return True
        from pygments.lexers import get_lexer_by_name

        began = process_time()
        for _ in get_lexer_by_name("ipython3").get_tokens_unprocessed(source):
            if self.seconds + process_time() - began > self.SECONDS:
                break
        self.seconds += process_time() - began
        return self.seconds <= self.SECONDS


@lru_cache(500)
def code(source: str) -> Markup:
    """Python as HTML, in colours. Most cells are the same for everybody."""
    from markupsafe import Markup, escape
    from pygments import highlight
    from pygments.lexers import PythonLexer

    if not can_be_coloured(source):
        return escape(source)
    return Markup(highlight(source, PythonLexer(stripnl=False), _formatter()))


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": number, "of": of, "code": code, "measured": measured}
    return environment


@cache
def _style() -> Markup:
    from markupsafe import Markup

    return Markup(_formatter().get_style_defs(".highlight"))


def page(template: str, **content: object) -> str:
    """The page that a template makes of this content."""
    return _environment().get_template(template).render(style=_style(), **content)
