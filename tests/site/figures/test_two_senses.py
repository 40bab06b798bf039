"""One word in two sentences: how far apart its states are."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, numbers, typed
from torch import Tensor


@browser
def test_two_senses(shown, gaps, reader) -> None:
    keys, (model, known) = Keys(shown, "two-senses"), gaps
    note = keys.figure.locator(".live-note").first

    def cosine(of) -> float:
        return torch.cosine_similarity(*(of(said.split()) for said in both), dim=0).item()

    def guesser(words: list[str]) -> Tensor:
        ids = torch.tensor([[known.index(w) if w in known else 1 for w in words]])
        with torch.no_grad():
            return model.encode(ids)[0][0, words.index("note")]

    both = ["a short note on the door", "he sang a high note"]
    for label, said in zip(("First", "Second"), both, strict=True):
        typed(keys, said, f"{label} sentence")
    found = numbers(keys.drawn().partition(": ")[2])
    taught = cosine(lambda words: reader(words)["states"][words.index("note")])
    assert found == pytest.approx([1, cosine(guesser), taught], abs=0.00005 + NEAR)
    for said in both:
        shares = reader(said.split())["sense"]
        label = ("message", "tone", "mood")[shares.argmax()]
        assert f"a {label} in the" in keys.said and f"({shares.max():.2f})" in keys.said
    before = keys.drawn()
    keys = Keys(shown, "two-senses")
    typed(keys, "no such word", "First sentence")
    assert note.inner_text() == "Type a sentence with the word note."
    assert keys.drawn() == before, "the last sentence that could be read stays"
