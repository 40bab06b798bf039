"""Markdown as HTML that is harmless in a marker's browser, with formulas left for it to typeset."""

from __future__ import annotations

import bleach
from nbconvert.filters import markdown2html

from nbjudge.report.feedback import TAGS
from nbjudge.report.outputs import harmless_markdown
from nbjudge.report.pages import code


def rich(markdown: str) -> str:
    """A text as HTML without links, images, styles, ids or scripts.

    Formulas stay as TeX, with commands that only typeset.
    """
    html = markdown2html(harmless_markdown(markdown))
    return bleach.clean(html, tags=TAGS - {"a"}, attributes={}, strip=True)


def source(text: str) -> str:
    """Code as highlighted HTML."""
    return f'<pre class="highlight">{code(text)}</pre>'
