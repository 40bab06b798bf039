"""Sinusoidal codes of positions and their products."""

import torch
from figure_pages import Keys, browser

from coursebook.live.catalogue import FIGURES
from tfcourse.positions import SinusoidalPositions


@browser
def test_positions(shown) -> None:
    keys, data = Keys(shown, "positions"), FIGURES["positions"].data
    codes = shown.evaluate("[...Array(128).keys()].map(n => Live.sinusoidalCode(n, 32))")
    table = SinusoidalPositions(32).table(torch.arange(128), torch.float64)
    assert (torch.tensor(codes, dtype=torch.float64) - table).abs().max() < 1e-12
    keys.reach("Position")
    for press, position in [
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowUp", 2),
        ("ArrowLeft", 1),
        ("End", 127),
    ]:
        keys.press(press)
        alike = float(table[position] @ table[data["other"]])
        assert f"codes {position} and {data['other']}: {alike:.3f}; of {position}" in keys.said
    keys.reach("Compared with")
    keys.press("End")
    assert keys.said == "Dot product of codes 127 and 127: 16.000; of 127 with itself: 16.000."
