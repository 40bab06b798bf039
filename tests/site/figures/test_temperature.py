"""Softmax at any temperature, from a hard look-up to the plain average."""

import pytest
from figure_pages import NEAR, Keys, attention, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_temperature(shown) -> None:
    keys, data = Keys(shown, "temperature"), FIGURES["temperature"].data
    values = [[value] for value in data["values"]]
    keys.reach("Temperature")
    for press, temperature in [("Home", 0.03), ("End", 100), ("PageDown", None)]:
        keys.press(press)
        slider = keys.figure.get_by_label("Temperature", exact=True)
        temperature = temperature or round(10 ** float(slider.input_value()), 2)
        for query in data["queries"]:
            if query != "quince":
                continue
            (output, weights) = attention(
                [data["queries"][query]], list(data["keys"].values()), values, scale=1 / temperature
            )
            assert numbers(keys.drawn(0).partition(": ")[2]) == pytest.approx(
                weights[0].tolist(), abs=0.005 + NEAR
            )
            assert f"the answer is {output.item():.2f}" in keys.said
    keys.press("Home")
    assert "almost a hard look-up: the value of lemon" in keys.said
    keys.press("End")
    assert "almost the plain average" in keys.said
    keys.reach("Query")
    keys.press("End")
    assert keys.figure.get_by_label("Query", exact=True).input_value() == "screwdriver"
    assert keys.drawn(0).startswith("Weights of the five keys for the query screwdriver")
