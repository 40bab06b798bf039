"""The search finds what the pages say."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("word", ["softmax", "causal", "glossary"])
def test_a_word_is_found(word: str, page, address: str) -> None:
    page.goto(f"{address}/search.html?q={word}")
    found = page.locator("#search-results li a")
    found.first.wait_for(timeout=10_000)
    # Each result's summary is read from its page: leaving before that would break requests off.
    page.wait_for_load_state("networkidle")
    found.first.click()
    assert word in page.locator(".bd-article").inner_text().lower()
    assert not page.faults


def test_a_word_that_is_nowhere_is_not_found(page, address: str) -> None:
    page.goto(f"{address}/search.html?q=zymurgy")
    page.get_by_text("did not match any documents").wait_for(timeout=10_000)
