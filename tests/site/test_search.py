"""The search: the right page first, nothing but prose, results while the reader types."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from live_site import offline
from tiny_site import build, questions

from coursebook.sphinx import search

browser = pytest.mark.browser

#: What learners type, and the page that must come first: beginnings of lessons, else of `book/`.
RIGHT = {
    # What a reader of the site looked up, and found badly or well before
    "why divide by sqrt": "05-self-attention",
    "ps05": "assignments/ps05",
    "positional encoding": "07-positions",
    "causal mask": "05-self-attention",
    "what is a token": "09-decoder",
    "how to check my work": "book/take",
    "install": "book/take",
    "layernorm": "08-block",
    "softmax": "05-self-attention",
    "BLEU": "11-encoder-decoder",
    "KV cache": "13-fast-attention",
    "temperature": "09-decoder",
    "beam search": "04-alignment",
    "flash attention": "13-fast-attention",
    "BPE": "09-decoder",
    "residual connection": "08-block",
    "multi-head attention": "06-multi-head",
    "word2vec": "01-words",
    "LSTM": "02-recurrence",
    "cross-attention": "11-encoder-decoder",
    "vision transformer": "12-vision",
    "rope": "07-positions",
    "masked language model": "10-encoder",
    # Twenty more
    "vanishing gradient": "02-recurrence",
    "lesson 5": "05-self-attention",
    "homework 3": "assignments/ps03",
    "query key value": "05-self-attention",
    "attention is not explanation": "03-pooling",
    "learning rate warmup": "14-training-at-scale",
    "mixed precision": "14-training-at-scale",
    "teacher forcing": "04-alignment",
    "top-p sampling": "09-decoder",
    "label smoothing": "11-encoder-decoder",
    "what is an embedding": "01-words",
    "ALiBi": "07-positions",
    "pre-norm or post-norm": "08-block",
    "play with the models": "book/explore",
    "do I need a gpu": "book/take",
    "set up grading for my class": "book/teach",
    "symbols used": "book/notation",
    "errors in the lectures": "book/slips",
    "patch embedding": "12-vision",
    "additive attention": "04-alignment",
    # Looked up once the words above were found, and right at once
    "dropout": "08-block",
    "GRU": "02-recurrence",
    "fine-tuning": "10-encoder",
    "gradient accumulation": "14-training-at-scale",
    "why several heads": "06-multi-head",
    "bahdanau": "04-alignment",
    "colab": "book/take",
    "causal_mask": "book/api/attention",
}


def address_of(short: str) -> str:
    if short.startswith("book/"):
        return short
    return f"notebooks/{short}" + (f"/{short}" if short[0].isdigit() else "")


@pytest.fixture(scope="module")
def searched(chromium, site: Path):
    """The page of the search, opened from the disk, with the sections loaded."""
    with offline(chromium) as page:
        page.goto((site / "search.html").as_uri() + "?q=softmax")
        page.locator(".search-hit").first.wait_for()
        yield page
        assert not page.faults


@browser
def test_the_right_page_comes_first(searched) -> None:
    found = searched.evaluate(
        "queries => queries.map(query => CourseSearch.search(query)[0]?.page ?? 'nothing')",
        list(RIGHT),
    )
    wrong = [
        f"{query}: {first}, not {right}"
        for (query, right), first in zip(RIGHT.items(), found, strict=True)
        if not first.startswith(address_of(right))
    ]
    assert len(RIGHT) >= 43 and not wrong, "\n".join(wrong)


@browser
@pytest.mark.parametrize("name", ["causal mask", "what is a token", "teacher forcing", "LSTM"])
def test_a_term_of_the_glossary_is_found_by_its_name(searched, name: str) -> None:
    searched.get_by_role("searchbox").last.fill(name)
    shown = searched.locator("#search-results .search-term")
    wanted = name.removeprefix("what is a ")
    assert shown.locator("a").inner_text() == wanted
    assert re.search(r"book/glossary\.html#term-", shown.locator("a").get_attribute("href"))
    assert len(shown.inner_text()) > len(wanted) + 30


@browser
def test_results_come_while_the_reader_types(searched) -> None:
    field = searched.get_by_role("searchbox").last
    field.fill("")
    assert not searched.locator(".search-hit").count()
    for typed in "fla", "flash at", "flash attention":
        field.fill(typed)
        first = searched.locator("#search-results .search-title a").first
        assert first.get_attribute("href").startswith(
            "./notebooks/13-fast-attention/13-fast-attention.html"
        ), typed
    assert searched.locator("#search-results mark").count() > 3
    assert re.match(r"\d+ pages", searched.locator(".search-status").last.inner_text())
    assert searched.url.endswith("?q=flash%20attention"), "the address can be passed on"
    field.fill("zymurgy")
    assert "No page says “zymurgy”" in searched.locator(".search-status").last.inner_text()
    assert not searched.locator(".search-hit").count()


@browser
def test_excerpts_are_prose(searched) -> None:
    for query in "quiz", "explanation", "softmax", "install":
        searched.get_by_role("searchbox").last.fill(query)
        said = " ".join(searched.locator(".search-text").all_inner_texts())
        assert len(said) > 300
        for furniture in (
            "Show the code",
            "Choose one.",
            "Forget my answer",
            "import torch",
            "\\(",
        ):
            assert furniture not in said, (query, furniture)


@browser
def test_the_box_shows_results_and_leads_to_them(page, address: str) -> None:
    page.goto(f"{address}/notebooks/01-words/01-words.html")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("Control+k")
    box = page.locator("#pst-search-dialog")
    box.get_by_role("searchbox").wait_for()
    assert not [url for url in asked if "data-search" in url], "loaded as the reader types"
    page.keyboard.type("beam search")
    first = box.locator(".search-title a").first
    first.wait_for()
    assert "04-alignment.html#" in first.get_attribute("href")
    for _ in range(4):  # the glossary's term comes first
        page.keyboard.press("Tab")
        if first.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/04-alignment.html#*")
    assert not page.faults


@browser
def test_enter_leads_to_the_page_of_all_results(page, address: str) -> None:
    page.goto(f"{address}/index.html")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog").get_by_role("searchbox").fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax")
    page.locator("#search-results .search-hit").nth(7).wait_for()
    assert not page.faults


def test_a_pages_kind_is_known_by_its_name() -> None:
    kinds = {
        "notebooks/05-self-attention/05-self-attention": "lesson",
        "notebooks/assignments/ps05-a/ps05-a": "set",
        "notebooks/05-self-attention/evidence": "evidence",
        "book/api/attention": "api",
        "book/take": "guide",
        "index": "guide",
    }
    assert {page: search.kind(page) for page in kinds} == kinds


PAGE = """\
The first sentence, with $d_k$, $\\sqrt{d_k}$ and `code`.

```python
import nothing
```

## A section

Its prose.

### Within

More.

```{glossary}
token
  A piece of text.
```

```{quiz} one
```
"""


def test_what_is_kept_of_a_page(tmp_path: Path) -> None:
    questions(tmp_path, "## one\n\nA question?\n\n- [x] Yes.\n  : So.\n- [ ] No.\n  : Not so.\n")
    extensions = ("coursebook.sphinx.quiz", "coursebook.sphinx.search")
    _, warnings = build(tmp_path, PAGE, extensions)
    assert not warnings
    text = (tmp_path / "out" / search.PLACE).read_text("utf-8")
    assert text == (
        'CourseSearch.begin([["index","guide","Page",['
        '["","Page","The first sentence, with d_k, … and code.","sqrt"],'
        '["a-section","A section","Its prose.",""],'
        '["within","Within","More.",""],'
        '["term-token","token","A piece of text.",""]]]]);\n'
    )
