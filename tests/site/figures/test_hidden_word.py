"""A hidden word of a film review, guessed from both sides and from the left alone."""

import os
import re
from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import computed, stored_model

from coursebook.live import maker
from coursebook.live.catalogue import FIGURES
from tfcourse import data
from tfcourse.runs import prepare
from tfcourse.tokenizers.words import split

SIDES = ("both", "left")
SAID = "the film isn't bad , but its last ( and longest ) hour is a bore !"


def cut(text: str) -> list[str]:
    """The words of a text, as the models' tokenizer finds them."""
    return split(text, punctuation=True, lower=True)


def behind_the_gap(masked, side: str, words: list[str], place: int) -> torch.Tensor:
    """The probability of each word at a place, by the package."""
    models, tokenizer = masked
    ids = tokenizer.encode(" ".join(words))
    assert len(ids) == len(words)
    first, last, gap = map(tokenizer.id, ("[CLS]", "[SEP]", "[MASK]"))
    row = torch.tensor([[first, *ids[:place], gap, *ids[place + 1 :], last]])
    with torch.no_grad():
        return models[side](row, places=row == gap).logits[0].softmax(-1)


@browser
@pytest.mark.parametrize("side", SIDES)
def test_the_scripts_guesses_are_the_packages(loaded, masked, side: str) -> None:
    words = cut(SAID)
    for place in (0, 4, len(words) - 1):
        found = computed(
            loaded,
            """([text, place, side]) => {
                const stored = Live.data.masked;
                const model = Live.bert({ ...stored, weights: stored.sides[side].weights });
                const words = model.split(text, 30).words;
                words[place] = model.GAP;
                return Live.softmax(model.scores(words, place, { causal: side === "left" }));
            }""",
            [SAID, place, side],
        )
        expected = behind_the_gap(masked, side, words, place)
        assert found == pytest.approx(expected.tolist(), abs=NEAR)


@browser
def test_a_text_is_cut_as_the_package_cuts_it(loaded) -> None:
    for text in (SAID, "Été: 1999's naïve, über-cool ... (?!) don't_stop 50%", "it’s"):
        found = computed(
            loaded,
            "text => Live.bert({ ...Live.data.masked, weights: {} }).split(text, 99).words",
            text,
        )
        assert found == cut(text.replace("’", "'").replace("_", "___"))


def agrees(keys: Keys, masked, words: list[str], place: int) -> None:
    """Both pictures show the package's five likeliest words, with their probabilities."""
    tokenizer = masked[1]
    for picture, side in enumerate(SIDES):
        shares, ids = behind_the_gap(masked, side, words, place).topk(5)
        told = keys.drawn(picture).partition("guesses: ")[2]
        guesses, shown = zip(*re.findall(r"(\S+) (\d\.\d{4})", told), strict=True)
        assert list(guesses) == [tokenizer.token(i) for i in ids.tolist()]
        assert list(map(float, shown)) == pytest.approx(shares.tolist(), abs=0.00005 + NEAR)


@browser
def test_hidden_word(shown, masked) -> None:
    keys, offered = Keys(shown, "hidden-word"), FIGURES["hidden-word"].data
    agrees(keys, masked, cut(offered["sentences"][0]), offered["hidden"][0])
    text = "the plot of this movie is dull"
    words = cut(text)
    typed(keys, text)
    keys.reach("Hidden word")
    for place, press in ((0, "Home"), (1, "ArrowRight"), (len(words) - 1, "End")):
        keys.press(press)
        agrees(keys, masked, words, place)
        assert keys.said.startswith(f"Hidden: {words[place]}. ")
    keys.figure.get_by_label("From a review").select_option("1")
    agrees(keys, masked, cut(offered["sentences"][1]), offered["hidden"][1])
    keys = Keys(shown, "hidden-word")
    typed(keys, "the actors are ____ in this film")
    agrees(keys, masked, ["the", "actors", "are", "x", "in", "this", "film"], 3)
    assert keys.said.startswith("With both sides: ")
    note = keys.figure.locator(".live-note")
    assert not note.inner_text(), "a gap is no unknown word"
    keys = Keys(shown, "hidden-word")
    typed(keys, "a zzyzx played")
    assert "does not know zzyzx" in note.inner_text()
    assert len(keys.drawn()) > 20, "a shorter sentence moves the gap into it"


def reviews() -> list[str]:
    """The test reviews, whose sentences are offered; skips where the corpus is not."""
    if not (Path(os.environ.get("TFCOURSE_DATA", "")) / "movie_polarity").is_dir():
        pytest.skip("needs the corpus movie-reviews in TFCOURSE_DATA, which is not here")
    return [review.text for review in data.load("movie-reviews", "test")]


def test_the_offered_sentences_are_from_reviews_that_no_model_has_read() -> None:
    lines = {line for text in reviews() for line in text.splitlines()}
    offered = FIGURES["hidden-word"].data
    assert set(offered["sentences"]) <= lines
    for sentence, place in zip(offered["sentences"], offered["hidden"], strict=True):
        assert place < len(cut(sentence))


@pytest.mark.release("score of a stored model on a corpus")
@pytest.mark.parametrize("side", SIDES)
def test_the_rounded_models_are_right_as_often_as_the_page_says(course: Path, side: str) -> None:
    reviews()
    module, stored = maker("masked"), stored_model(course, "masked")
    found = prepare(module.preset_of(side)).judge(module.load(stored, side))
    assert stored["sides"][side]["right"] == pytest.approx(found["accuracy"], abs=0.0005)
    assert stored["tested"] == found["n"]
