"""One query that weighs the words of a sentence."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers

from coursebook.live.catalogue import FIGURES
from tfcourse.alignment import AttentionPooling


@browser
def test_important_word(shown) -> None:
    keys, data = Keys(shown, "important-word"), FIGURES["important-word"].data
    words, v = list(data["words"]), list(data["v"])
    x = torch.tensor(list(data["words"].values()), dtype=torch.float64)
    pool = AttentionPooling(2).double()

    @torch.no_grad()
    def agrees() -> None:
        """Scores, weights and the average are the package's."""
        pool.v.copy_(torch.tensor([v]))
        (o,), (a,) = (found[0] for found in pool(x[None]))
        listed = keys.drawn(1).partition("its weight: ")[2].rstrip(".")
        found = dict(one.split(" ", 1) for one in listed.split(", "))
        assert list(found) == words
        for name, row, weight in zip(words, x, a, strict=True):
            expected = [(row @ pool.v[0]).item(), weight.item()]
            assert numbers(found[name]) == pytest.approx(expected, abs=NEAR)
        vote, score = o[0].item(), o[0].item() + data["constant"]
        assert numbers(keys.said)[-2:] == pytest.approx([vote, score], abs=NEAR)
        assert keys.said.endswith("good." if score >= 0 else "bad.")
        if any(v):
            assert f"heaviest word is {words[a.argmax()]}" in keys.said

    agrees()
    keys.reach("Tip of the query v", "slider")
    keys.press("ArrowLeft", "ArrowDown", *["Shift+ArrowLeft"] * 3)
    v = [-1.6, 0.1]
    agrees()
    keys.press(*["Shift+ArrowRight"] * 12)
    v = [2.7, 0.1]
    agrees()
    keys.reach("No query: the mean", "button")
    keys.press("Enter")
    v = [0.0, 0.0]
    agrees()
    assert "this is the mean" in keys.said
    keys.reach("Start again", "button")
    keys.press("Enter")
    v = list(data["v"])
    agrees()
