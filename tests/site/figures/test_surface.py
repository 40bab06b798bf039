"""The loss around a trained network, with and without a residual path."""

import json
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.course import figure_numbers


@browser
def test_surface(shown, course: Path) -> None:
    nets = json.loads(figure_numbers(course, "surface").read_text("utf-8"))["nets"]
    keys = Keys(shown, "surface")

    def bend(rows: list[list[float]]) -> float:
        Z = torch.tensor(rows, dtype=torch.float64)
        h, c = 2 / (len(Z) - 1), Z[1:-1, 1:-1]
        s, s_, t, t_ = Z[2:, 1:-1], Z[:-2, 1:-1], Z[1:-1, 2:], Z[1:-1, :-2]
        curvature = ((s - 2 * c + s_).abs() + (t - 2 * c + t_).abs()) / (2 * h * h)
        return (curvature.sum() / (torch.hypot(s - s_, t - t_) / (2 * h)).sum()).item()

    def agrees(pair: int, turn: int, tilt: int) -> None:
        for i, name in enumerate(("with", "without")):
            rows = nets[name][pair]["surface"]
            told = numbers(keys.drawn(i))
            assert told[:3] == pytest.approx(
                [nets[name][pair]["loss"], max(map(max, rows)), bend(rows)], abs=0.005 + NEAR
            )
            assert told[2] == pytest.approx(bend(rows), abs=NEAR)
        assert numbers(keys.said)[:3] == [pair + 1, turn, tilt]

    def corner() -> list[float]:
        return numbers(keys.figure.locator("path.facet").first.get_attribute("d"))

    agrees(0, 30, 30)
    before = corner()
    keys.reach("Turn")
    keys.press("ArrowRight", "ArrowRight")
    agrees(0, 40, 30)
    assert corner() != before
    keys.reach("Viewing angle")
    keys.press("End")
    agrees(0, 40, 60)
    keys.reach("Networks")
    keys.press("End")
    agrees(2, 40, 60)
