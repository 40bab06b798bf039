"""Stored drawings show the sign of their numbers.

A figure's stored content has no colours, so a rerun that is compared by content does not notice a
drawing that was stored before the colours changed. This does.
"""

import json
import re
from pathlib import Path

import pytest

from coursebook.course import chapter_paths, evidence_paths, root, short_name
from coursebook.drawings.colours import NEGATIVE, tint
from coursebook.drawn import FIGURE_CONTENT

ROOT = root(Path(__file__).parent)
#: Every fill of a number below zero that differs from white.
BELOW = {tint(NEGATIVE, share / 2500) for share in range(20, 2001)}


def without_sign(cells: list[dict]) -> list[str]:
    """The cells whose drawn matrix writes numbers below zero and has no square of their colour."""
    found = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            shown = output.get("metadata", {}).get(FIGURE_CONTENT, {}).get("axes", ())
            texts = [text for axes in shown for text in axes["texts"]]
            fills = set(
                re.findall(r"fill: (#\w{6})", "".join(output["data"].get("image/svg+xml", "")))
                if texts
                else ()
            )
            below = any(re.fullmatch(r"−[\d.]*[1-9][\d.]*", text) for text in texts)
            if "matrix(" in "".join(cell["source"]) and fills and below and not fills & BELOW:
                found.append(cell["id"])
    return found


@pytest.mark.parametrize(
    "path", [*chapter_paths(ROOT), *evidence_paths(ROOT)], ids=lambda path: short_name(path)
)
def test_a_number_below_zero_has_its_colour(path: Path) -> None:
    assert not without_sign(json.loads(path.read_text("utf-8"))["cells"])


def test_a_drawing_of_one_colour_is_found() -> None:
    cell = {"id": "old", "source": "draw(matrix(x, numbers=True))", "outputs": [{
        "metadata": {FIGURE_CONTENT: {"axes": [{"texts": ["−2", "1"]}]}},
        "data": {"image/svg+xml": '<path style="fill: #818891"/>'},
    }]}  # fmt: skip
    assert without_sign([cell]) == ["old"]
    cell["outputs"][0]["data"]["image/svg+xml"] = f'<path style="fill: {tint(NEGATIVE, 0.8)}"/>'
    assert not without_sign([cell])
