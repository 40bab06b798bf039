"""A query and keys as arrows: their products and the weights."""

import pytest
from figure_pages import NEAR, Keys, attention, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_arrows(shown) -> None:
    keys, data = Keys(shown, "arrows"), FIGURES["arrows"].data
    q, k = list(data["q"]), [list(key) for key in data["keys"]]
    for label, vector in (("Tip of q", q), ("Tip of k3", k[2])):
        keys.reach(label, "slider")
        keys.press("ArrowRight", "ArrowUp", "Shift+ArrowUp", "ArrowLeft", "ArrowLeft")
        vector[:] = [vector[0] - 0.1, vector[1] + 0.6]
        handle = keys.figure.get_by_role("slider", name=label)
        said = handle.get_attribute("aria-valuetext")
        assert numbers(said) == pytest.approx([round(x, 1) for x in vector])
        _, weights = attention([q], k)
        raw = [sum(a * b for a, b in zip(q, key, strict=True)) for key in k]
        expected = [(i + 1, raw[i], raw[i] / 2**0.5, weights[0, i].item()) for i in range(3)]
        shown_numbers = numbers(keys.drawn(1).partition("its weight: ")[2])
        assert shown_numbers == pytest.approx(sum(expected, ()), abs=0.005 + NEAR)
        outline = keys.figure.locator(".handle:focus-visible .grip").evaluate(
            "one => getComputedStyle(one).strokeWidth"
        )
        assert outline == "2.5px", "what has the focus must be seen"
    keys.press(*["Shift+ArrowRight"] * 12)
    assert "3.2 across" in handle.get_attribute("aria-valuetext"), "it stays in the picture"
