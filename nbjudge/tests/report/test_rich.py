"""Markdown for a marker's browser: words and formulas stay, all else is shown as text."""

import re

import pytest

from nbjudge.report.rich import rich, source


def test_words_tables_code_and_formulas_stay():
    html = rich("*Why* $a<b$ and `x`:\n\n$$\\sqrt{d_k}$$\n\n| a |\n|---|\n| 1 |")
    assert "<em>Why</em>" in html and "<code>x</code>" in html and "<td>1</td>" in html
    assert "$a&lt; b$" in html and "$$\\sqrt{d_k}$$" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>x()</script>",
        "<img src=x onerror=x()>",
        "<svg/onload=x()>",
        "[a](javascript:x())",
        "![a](https://example.org/a.png)",
        "https://example.org/a",
        "[a][b]\n\n[b]: javascript:x()",
        "<style>p {color: red}</style>",
        "&lt;script&gt;x()&lt;/script&gt;",
        "```html\n<b id=a onclick=x()>\n```",
        "$<img src=x onerror=x()>$",
        "# a {#id .class}",
    ],
)
def test_no_tag_keeps_an_attribute_and_none_loads_or_runs_anything(text):
    tags = re.findall(r"<[^>]*>", rich(text))
    assert {re.sub(r"</?(\w+)>", r"\1", tag) for tag in tags} <= {"p", "pre", "code", "h1"}


def test_formulas_only_typeset():
    html = rich(r"$\href{javascript:x()}{y}$ $\require{html}$ $\def\a{\a\a}$ $\alpha$")
    assert r"\alpha" in html
    assert not re.search(r"\\(href|require|def|a)\b", html)


def test_code_is_text():
    assert "<script>" not in source("'<script>'") and "&lt;script&gt;" in source("'<script>'")
