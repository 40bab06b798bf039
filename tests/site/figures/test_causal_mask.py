"""What a changed last word does to earlier outputs, with and without the causal mask."""

import pytest
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_the_causal_mask_shuts_the_leak(shown, reader) -> None:
    keys, data = Keys(shown, "causal-mask"), FIGURES["causal-mask"].data
    first, head = data["sentence"].split(), data["head"]
    keys.reach("Causal mask")
    for causal, press in ((True, None), (False, "Space")):
        if press:
            keys.press(press)
        for place, other in enumerate(data["others"]):
            keys.reach("Change the last word, note, to")
            keys.press("Home", *["ArrowDown"] * place)
            before, after = (
                reader([*first[:-1], last], causal)["output"][head] for last in (first[-1], other)
            )
            moved = (before - after).norm(dim=-1)
            found = numbers(keys.drawn(1).partition("each moved: ")[2])
            assert found == pytest.approx(moved.tolist(), abs=0.005 + NEAR)
            if causal:
                assert keys.said.startswith("No leak") and moved[:-1].max() == 0
            else:
                assert keys.said.startswith("The leak: 5 of 5 earlier outputs changed")
        if causal:
            keys.press("Shift+Tab")
