"""A hidden word guessed from both sides and from the left alone."""

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed


def behind_the_gap(gaps, side: str, said: list[str], place: int) -> torch.Tensor:
    """The probability of each word at a place, by the package."""
    models, words = gaps
    ids = torch.tensor([[words.index(w) if w in words else 1 for w in said]])
    ids[0, place] = words.index("<mask>")
    places = torch.zeros_like(ids).bool()
    places[0, place] = True
    with torch.no_grad():
        return models[side](ids, places=places).logits[0].softmax(-1)


@browser
@pytest.mark.parametrize("side", ["both", "left"])
def test_the_scripts_guesses_are_the_packages(loaded, gaps, side: str) -> None:
    said = ["she", "left", "a", "folded", "note", "on", "the", "fridge", "for", "the", "landlord"]
    for place in (0, 4, len(said) - 1):
        found = loaded.evaluate(
            """([words, place, side]) => {
                const stored = Live.data.gaps;
                const model = Live.reader({ ...stored, weights: stored.sides[side] });
                const read = words.map((word, t) => (t === place ? "<mask>" : word));
                return model.guess(model.read(read, { causal: side === "left" }).states[place]);
            }""",
            [said, place, side],
        )
        assert found == pytest.approx(behind_the_gap(gaps, side, said, place).tolist(), abs=NEAR)


@browser
def test_hidden_word(shown, gaps) -> None:
    keys, said = (
        Keys(shown, "hidden-word"),
        ["the", "violinist", "held", "a", "low", "note", "on", "the", "violin"],
    )
    typed(keys, " ".join(said))
    keys.reach("Hidden word")
    for place, press in ((0, "Home"), (1, "ArrowRight"), (len(said) - 1, "End")):
        keys.press(press)
        for picture, side in enumerate(("both", "left")):
            shares, ids = behind_the_gap(gaps, side, said, place).topk(5)
            told = keys.drawn(picture).partition("guesses: ")[2].removesuffix(".").split(", ")
            words_ = [gaps[1][i] for i in ids.tolist()]
            assert [one.rpartition(" ")[0] for one in told] == words_
            shown_shares = [float(one.rpartition(" ")[2]) for one in told]
            assert shown_shares == pytest.approx(shares.tolist(), abs=0.00005 + NEAR)
        assert keys.said.startswith(f"Hidden: {said[place]}. ")
    keys = Keys(shown, "hidden-word")
    typed(keys, "a zebra played")
    assert "does not know zebra" in keys.figure.locator(".live-note").inner_text()
    assert len(keys.drawn()) > 20, "a shorter sentence moves the gap into it"
