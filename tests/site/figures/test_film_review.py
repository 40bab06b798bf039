"""The words that a classifier of film reviews weighs and counts."""

import re
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers
from live_site import stored_model
from torch import Tensor

from coursebook.course import Lesson
from coursebook.live import maker
from coursebook.live.catalogue import FIGURES


def test_the_reader_of_film_reviews_chooses(course: Path) -> None:
    """The verdict of lesson 03's opening review gets the weight that the lesson says."""
    module, stored = maker("reviews"), stored_model(course, "reviews")
    before, verdict, after = (module.words_of(part) for part in module.OPENING.split("|"))
    words, ids = [*before, *verdict, *after], {w: i for i, w in enumerate(stored["words"])}
    tokens = torch.tensor([[ids.get(word, 0) for word in words]])
    output = module.load(stored)(tokens, torch.tensor([len(words)]), return_weights=True)
    share = output.maps["words"][0][0, 0, 0, len(before) : len(before) + len(verdict)].sum().item()
    told = stored["selective"]["weight of the verdict"]
    assert share == pytest.approx(told, abs=5e-4) and share > 5 * len(verdict) / len(words)
    assert stored["usual"]["weight of the verdict"] < 1.5 * len(verdict) / len(words)
    loud, quiet = (stored[name]["vote of the verdict"] for name in ("mean", "selective"))
    assert round(loud / quiet) == 9 and stored["mean"]["right"] >= stored["selective"]["right"]
    lesson = Lesson(course, "03-pooling").notebook.read_text("utf-8")
    assert f"{share:.0%} of the weight".replace("%", " %") in lesson


@browser
def test_film_review(shown, course: Path) -> None:
    module, stored = maker("reviews"), stored_model(course, "reviews")
    model, ids = module.load(stored).double(), {w: i for i, w in enumerate(stored["words"])}
    keys, data = Keys(shown, "film-review"), FIGURES["film-review"].data

    @torch.no_grad()
    def agrees(text: str, out: tuple[str, ...] = (), equal: bool = False) -> Tensor:
        """Weights, votes and their sum are the package's, over the words that are left."""
        words = [word for word in module.words_of(text) if word not in out]
        tokens = torch.tensor([[ids.get(word, 0) for word in words]])
        output = model(tokens, torch.tensor([len(words)]), return_weights=True)
        weights, logits = output.maps["words"][0][0, 0, 0], output.logits[0]
        votes = model.embedding(tokens)[0] @ (model.W[:, 1] - model.W[:, 0])
        if equal:
            weights = torch.full_like(weights, 1 / len(words))
            logits = torch.stack([0 * votes[0], weights @ votes + model.b[1] - model.b[0]])
        listed = keys.drawn().partition("vote: ")[2].replace("−", "-").rstrip(".")
        found = dict(one.split(" ", 1) for one in listed.split(", "))
        assert {word for word, said in found.items() if said == "taken out"} == set(out)
        for word, weight, vote in zip(words, weights.tolist(), votes.tolist(), strict=True):
            assert numbers(found[word]) == pytest.approx([weight, vote], abs=NEAR)
        (score, share) = re.search(r"add up to (\S+): \w+ \((\d+) %", keys.said).groups()
        assert numbers(score)[0] == pytest.approx((logits[1] - logits[0]).item(), abs=NEAR)
        assert int(share) == pytest.approx(100 * logits.softmax(0).max().item(), abs=0.51)
        assert ("good" if logits[1] > logits[0] else "bad") in keys.said
        return weights

    def reach(label: str, role: str | None = None) -> None:
        Keys(shown, "film-review").reach(label, role)  # from the figure's beginning

    def write(text: str) -> None:
        reach("Review")
        keys.press("Control+a")
        keys.page.keyboard.type(text)

    # A word that stands there twice has one weight.
    agrees(data["review"])
    write("Not a BAD film at all")
    weights = agrees("not a bad film at all")
    assert "heaviest word is bad" in keys.said and "bad (" in keys.said
    reach("Take out the heaviest word", "button")
    keys.press("Enter")
    agrees("not a bad film at all", out=("bad",))
    reach("Put all words back", "button")
    keys.press("Enter")
    assert torch.equal(agrees("not a bad film at all"), weights)
    reach("Give all words the same weight")
    keys.press("Space")
    agrees("not a bad film at all", equal=True)
    keys.press("Space")
    write("blick")
    note = keys.figure.locator(".live-note").inner_text()
    known = len(stored["words"]) - 1
    assert note == (
        f"The model knows {known:,} words. It does not know blick, and reads it as an unknown word."
    )
    assert keys.figure.get_by_role("button", name="Take out the heaviest word").is_disabled()
    write("what a waste of time " * 4)
    assert "Only the first 16 words are read." in keys.figure.locator(".live-note").inner_text()
    write("a fine film")
    reach("Take out the heaviest word", "button")
    keys.press("Enter")
    reach("Put all words back", "button")
    keys.press("Enter")
    agrees("a fine film")
