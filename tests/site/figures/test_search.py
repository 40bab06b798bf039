"""Beam search, step by step."""

from pathlib import Path

from figure_pages import Keys, browser
from live_site import stored_model


@browser
def test_search(shown, course: Path) -> None:
    stored = stored_model(course, "search")
    for width, steps in stored["widths"].items():
        kept = [([], 0.0)]
        for candidates in steps:
            assert all(one["kept"] == (i < int(width)) for i, one in enumerate(candidates))
            kept = [
                (kept[one["parent"]][0] + ([one["word"]] if one["word"] else []), one["logp"])
                for one in candidates
                if one["kept"]
            ]
        best = max(kept, key=lambda one: one[1])
        said = " ".join(best[0]).replace("</s>", "end")
        keys = Keys(shown, "search")
        keys.reach("Beam width")
        keys.press(width)
        keys = Keys(shown, "search")
        keys.reach("Step")
        keys.press("End")
        assert f"{said} ({best[1]:.2f})".replace("-", "−") in keys.said
