"""The translator's weights while it is trained."""

from pathlib import Path

from figure_pages import Keys, browser
from live_site import stored_model


@browser
def test_film(shown, course: Path) -> None:
    stored = stored_model(course, "film")
    keys = Keys(shown, "film")
    keys.reach("Steps of training")
    frames = stored["frames"]
    first_words = next(one for one in frames if one["said"])
    for press, one in (("", first_words), ("Home", frames[0]), ("End", frames[-1])):
        keys.press(*([press] if press else []))
        assert keys.said == f"{one['step']:,} steps: {' '.join(one['said']) or '(nothing)'}."
        words = [*stored["source"], "end"]
        first = one["weights"][0]
        assert (
            f"looks most at {words[first.index(max(first))]}, {max(first) / 100:.2f}"
            in keys.drawn()
        )
