"""Rows computed with and without a cache of keys and values."""

import pytest
from figure_pages import NEAR, Keys, attention, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_cache(shown) -> None:
    """Step by step, with and without a cache: the package's causal attention, row by row."""
    keys, data = Keys(shown, "cache"), FIGURES["cache"].data
    q, k, v = shown.evaluate("data => Live.cached(data)", data)
    output, weights = attention(q, k, v, causal=True)
    count = len(data["words"])
    keys.reach("Token")
    keys.press("Home")
    for kept in (True, False):
        for t in range(count):
            drawn = keys.drawn()
            told = numbers(drawn.partition("Weights of ")[2])
            assert told == pytest.approx(
                [*weights[t, : t + 1].tolist(), *output[t].tolist()], abs=0.00005 + NEAR
            )
            anew, rows = (1 if kept else t + 1), t + 1
            assert f"Computed in this step: {anew} of {rows} rows" in drawn
            again = rows * (rows + 1) // 2
            assert f"with a cache {rows}, without {again}." in keys.drawn(1)
            assert f"So far {rows if kept else again}" in keys.said
            keys.press("ArrowRight")
        keys.reach("Keep keys and values")
        keys.press(" ")
        keys = Keys(shown, "cache")
        keys.reach("Token")
        keys.press("Home")
