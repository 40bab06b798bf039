"""Two arrows that are turned by their positions."""

import math

import pytest
import torch
from figure_pages import Keys, browser, numbers

from tfcourse.positions import RotaryPositions


def turned(pair: int, position: int, vector: tuple[float, float]) -> list[float]:
    x = torch.zeros(1, 8, dtype=torch.float64)
    x[0, 2 * pair : 2 * pair + 2] = torch.tensor(vector, dtype=torch.float64)
    return RotaryPositions(8).rotate(x, start=position)[0, 2 * pair : 2 * pair + 2].tolist()


def agrees(keys: Keys) -> dict[str, str]:
    """What the rotary figure shows is what the package computes; returns what it shows."""
    value = lambda label: float(keys.figure.get_by_label(label, exact=True).input_value())  # noqa: E731
    vectors = {}
    for name in "qk":
        angle = torch.deg2rad(torch.tensor(value(f"{name}, direction"), dtype=torch.float64))
        length = value(f"{name}, length")
        vectors[name] = (float(length * angle.cos()), float(length * angle.sin()))
    m, n, pair = value("m, position of q"), value("n, position of k"), value("Pair")
    q = turned(int(pair), int(m), vectors["q"])
    k = turned(int(pair), int(n), vectors["k"])
    terms, said = (keys.figure.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    rows = dict(zip(terms, said, strict=True))
    assert numbers(rows["q at m"]) == pytest.approx(q, abs=6e-4)
    assert numbers(rows["k at n"]) == pytest.approx(k, abs=6e-4)
    assert numbers(rows["score, their product"]) == pytest.approx(
        [q[0] * k[0] + q[1] * k[1]], abs=6e-4
    )
    assert numbers(rows["m − n"]) == [m - n]
    follows_its_wave(keys, vectors, int(pair), int(m - n))
    return rows


def follows_its_wave(keys: Keys, vectors: dict, pair: int, distance: int) -> None:
    """The second picture's curve is the score at every distance, and its dot is on it."""
    wave = keys.figure.locator("svg.live-picture").nth(1)
    most = math.hypot(*vectors["q"]) * math.hypot(*vectors["k"])
    path = wave.locator("path.curve").get_attribute("d")
    points = [tuple(map(float, point.split(","))) for point in path[1:].split("L")]
    for at in (-63, -20, 0, 41, distance):
        q, k = turned(pair, max(at, 0), vectors["q"]), turned(pair, max(-at, 0), vectors["k"])
        score = (q[0] * k[0] + q[1] * k[1]) / most
        assert points[2 * (at + 63)] == pytest.approx(
            (40 + 304 * (at + 63) / 126, 84 - 54 * score), abs=0.01
        )
    dot = wave.locator("circle")
    at_dot = tuple(float(dot.get_attribute(name)) for name in ("cx", "cy"))
    assert at_dot == pytest.approx(points[2 * (distance + 63)], abs=0.02)


@browser
def test_two_arrows_turned_together_keep_their_score(shown) -> None:
    keys = Keys(shown, "rotary")
    before = agrees(keys)
    keys.reach("Both together")
    for press in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        keys.press(press)
        after = agrees(keys)
        assert after["score, their product"] == before["score, their product"]
        assert after["q at m"] != before["q at m"]
        assert "Both moved: m − n is still 7, and the score is still" in keys.said
    keys = Keys(shown, "rotary")
    keys.reach("m, position of q")
    keys.press("ArrowLeft")
    assert agrees(keys)["score, their product"] != before["score, their product"]
    assert keys.said.startswith("m moved alone: m − n is now 6")
    keys.reach("n, position of k")
    keys.press("Home")
    agrees(keys)
    assert keys.said.startswith("n moved alone")


@browser
def test_every_pair_and_every_arrow_can_be_set_by_keyboard(shown) -> None:
    keys = Keys(shown, "rotary")
    keys.reach("Pair")
    keys.press("Home")
    for _ in range(4):
        agrees(keys)
        keys.press("ArrowDown")
    assert "turns by 0.001 radians a position" in keys.said
    keys.press("Tab", "Enter")  # the arrows' own sliders unfold
    for label, last in [
        ("q, direction", "359"),
        ("q, length", "2"),
        ("k, direction", "359"),
        ("k, length", "2"),
    ]:
        keys.reach(label)
        keys.press("End")
        assert keys.figure.get_by_label(label, exact=True).input_value() == last
        agrees(keys)
