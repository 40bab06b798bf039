"""The page that the models run in: pictures first, few words between them."""

import re
from pathlib import Path


def test_the_text_below_the_map_is_short_and_the_rest_is_folded(course: Path) -> None:
    page = (course / "book" / "explore.md").read_text("utf-8")
    below = page.split("```{live} map\n```")[1].split("\n## ")[0]
    shown = re.sub(r"```\{dropdown\}.*?\n```\n", "", below, flags=re.DOTALL)
    assert len(shown.split()) < 170
    assert all(len(one.split()) < 60 for one in re.split(r"\n\n|\n- ", shown))
    assert below.count("{dropdown}") == 3
