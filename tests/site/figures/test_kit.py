"""What all figures compute and draw with: attention, numbers, signs and packed rows."""

import json

import pytest
import torch
from figure_pages import browser

from coursebook.live import as_numbers, as_text, packed
from tfcourse.attention import scaled_dot_product_attention


@browser
def test_the_scripts_attention_is_the_packages(loaded, generator) -> None:
    q, k, v = (torch.randn(7, n, generator=generator, dtype=torch.float64) for n in (5, 5, 3))
    for causal in (False, True):
        found = loaded.evaluate(
            "([q, k, v, causal]) => Live.attention(q, k, v, { causal })",
            [q.tolist(), k.tolist(), v.tolist(), causal],
        )
        output, weights = scaled_dot_product_attention(q, k, v, causal=causal)
        assert (torch.tensor(found["weights"], dtype=torch.float64) - weights).abs().max() < 1e-12
        assert (torch.tensor(found["output"], dtype=torch.float64) - output).abs().max() < 1e-12


@browser
@pytest.mark.parametrize(
    "value, digits, text", [(-0.0001, 3, "0.000"), (-1.5, 3, "−1.500"), (2, 0, "2")]
)
def test_numbers_have_a_true_minus_and_no_minus_zero(loaded, value, digits, text) -> None:
    assert loaded.evaluate("([x, n]) => Live.number(x, n)", [value, digits]) == text


@browser
def test_a_sign_is_a_colour_and_a_mark(loaded) -> None:
    """Numbers of one size differ in colour, and the one below zero has a minus; zero is empty."""
    above, below, zero = loaded.evaluate(
        """() => [0.5, -0.5, 0].map(share => {
            const drawn = Live.square(0, 0, 10, 10, "q", share).filter(part => part);
            const picture = Live.svg("svg", { class: "live-picture" }, drawn);
            document.body.append(picture);
            const style = getComputedStyle(drawn[0]);
            const marks = drawn.slice(1).map(part => part.getAttribute("class"));
            const found = [style.fill, style.fillOpacity, marks];
            picture.remove();
            return found;
        })"""
    )
    assert above[0] == "rgb(0, 114, 178)" and below[0] == "rgb(230, 184, 0)"
    assert above[1:] == ["0.5", []] and below[1:] == ["0.5", ["minus"]]
    assert zero[1:] == ["0", []]


@browser
def test_packed_numbers_are_the_same_numbers(loaded) -> None:
    """What the page reads are the whole numbers that were stored, whatever their size."""
    rows = [[*range(-300, 301)], [0] * 7 + [100_000], [1, 2, 3]]
    text = packed(json.dumps(rows, separators=(",", ":")))
    assert text.count("Live.unpacked") == 2 and len(text) < 1400
    assert loaded.evaluate(text) == rows
    assert as_numbers(as_text(rows[0])) == rows[0]
