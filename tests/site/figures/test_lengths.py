"""The loss beyond the length of training, by kind of positions."""

import json
from pathlib import Path

import pytest
from figure_pages import Keys, browser, numbers

from coursebook.course import figure_numbers
from coursebook.live import maker


def test_the_figure_of_lengths_has_the_records_losses(course: Path) -> None:
    module = maker("lengths")
    stored = json.loads(figure_numbers(course, "lengths").read_text("utf-8"))
    assert stored == module.shown(), "python notebooks/07-positions/figures/lengths/make.py"


@browser
def test_lengths(shown, course: Path) -> None:
    keys, schemes = Keys(shown, "lengths"), maker("lengths").shown()
    names, lengths = list(schemes["losses"]), schemes["lengths"]
    means = {
        name: [None if None in seeds else sum(seeds) / len(seeds) for seeds in each]
        for name, each in schemes["losses"].items()
    }
    curves = keys.figure.locator("svg >> nth=1 >> path.curve")
    assert keys.said.startswith("32 words, the length of training") and curves.count() == 0
    assert "up to 32 words" in keys.drawn(1), "nothing is told before the reader moves the slider"
    keys.reach("Words at a time")
    for place, length in enumerate(lengths):
        assert f"up to {length} words" in keys.drawn(1)
        expected = [f"{x[place]:.4f}" if x[place] else "none" for x in means.values()]
        told = keys.drawn(0).removeprefix(f"Loss at {length} words: ").rstrip(".").split("; ")
        assert told == [f"{name} {loss}" for name, loss in zip(names, expected, strict=True)]
        own, before = means["rotary"][place], means["rotary"][0]
        assert numbers(keys.said)[-3:] == pytest.approx([own, own - before, 32], abs=6e-4)
        keys.press("ArrowRight")
    keys.reach("Follow")
    keys.press("Home", "ArrowDown")
    assert keys.said == (
        "512 words, 16 times the length of training: learned positions have no code there."
    )
    assert "learned goes from 2.6106 at 32 words no further" in keys.drawn(1)
