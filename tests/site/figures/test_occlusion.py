"""A vision transformer's answer when patches are left out."""

from pathlib import Path

import pytest
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.live.catalogue import FIGURES


@browser
def test_occlusion(shown, vit, course: Path) -> None:
    model, stored = vit
    keys = Keys(shown, "occlusion")
    scene = FIGURES["occlusion"].data["scenes"][0]
    pixels = shown.evaluate(
        "scene => Live.vit(Live.data.arrow).paint(scene)",
        scene | {"letters": [
            {"kind": stored["letters"].index(one[0]), "turn": one[1], "top": one[2], "left": one[3]}
            for one in scene["letters"]
        ]},
    )  # fmt: skip
    assert keys.said.startswith("All patches are there")
    keys.reach("Patch")
    keys.press("Home", *["ArrowRight"] * 12)
    keys.reach("Leave this patch out", "button")
    keys.press("Enter")
    found = [
        shown.evaluate(
            "([image, hidden]) => Live.vit(Live.data.arrow).read(image, new Set(hidden)).shares",
            [pixels, hidden],
        )
        for hidden in ([12], [])
    ]
    assert numbers(keys.drawn(1)) == pytest.approx(sum(found, []), abs=0.0005 + NEAR)
    assert "left out: row 4, column 1." in keys.drawn()
    assert keys.said.startswith("Without 1 patch: L from ")
    keys.reach("Put this patch back", "button")
    keys.press("Enter")
    assert keys.said.startswith("All patches are there")
    cell = keys.figure.locator("svg.live-picture").first
    cell.click(position={"x": 10, "y": 10})  # beside the image: nothing happens
    assert keys.said.startswith("All patches are there")
    box = cell.bounding_box()
    cell.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert keys.said.startswith("Without 1 patch")
    keys.reach("Next image", "button")
    keys.press("Enter")
    assert "none is left out" in keys.drawn()
