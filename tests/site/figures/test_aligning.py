"""The recurrent translator's weights while it is trained."""

import re
from pathlib import Path

import pytest
from figure_pages import Keys, browser
from live_site import stored_model

from tfcourse.data.number_pieces import gold_alignment


@browser
def test_aligning(shown, course: Path) -> None:
    stored = stored_model(course, "aligning")
    assert tuple(stored["partners"]) == gold_alignment(345_627)
    keys = Keys(shown, "aligning")
    keys.reach("Steps of training")
    for press, one in (("", stored["frames"][0]), ("End", stored["frames"][-1])):
        keys.press(*([press] if press else []))
        pairs = [(i, j) for i, j in enumerate(stored["partners"]) if j >= 0]
        share = sum(one["weights"][i][j] for i, j in pairs) / len(pairs) / 100
        said = re.match(r"([\d,]+) steps: (\d\.\d\d) of the weight", keys.said)
        assert int(said[1].replace(",", "")) == one["step"]
        assert float(said[2]) == pytest.approx(share, abs=0.0051)
        assert keys.said.endswith(f"It writes: {' '.join(one['said']) or '(nothing)'}.")
        pieces = [*stored["source"], "end"]
        first = one["weights"][0]
        assert (
            f"looks most at {pieces[first.index(max(first))]}, {max(first) / 100:.2f}"
            in keys.drawn()
        )
