"""A text cut into tokens, merge by merge."""

import pytest
from figure_pages import Keys, browser
from live_site import computed

from tfcourse.tokenizers import BPETokenizer
from tfcourse.tokenizers.bpe import BYTES

TEXTS = ["The newest note", "  two  spaces\n\nO Romeo, 'tis café 注 🎸!", "we'll see: 1597"]


@browser
@pytest.mark.parametrize("text", TEXTS)
def test_the_scripts_tokens_are_the_packages(loaded, small_gpt, text: str) -> None:
    _, tokenizer = small_gpt
    found = computed(
        loaded,
        """text => {
            const tokenizer = Live.tokenizer(Live.data.merges.merges), ids = tokenizer.encode(text);
            return { ids, cut: tokenizer.cut(text, 7), back: tokenizer.decode(ids) };
        }""",
        text,
    )
    assert found["ids"] == tokenizer.encode(text)
    merges = tokenizer.merges[:7]
    fewer = BPETokenizer([*sorted(BYTES), *map("".join, merges)], merges)
    assert found["cut"] == fewer.tokenize(text)
    assert found["back"] == text


@browser
def test_merges(shown, small_gpt) -> None:
    keys, (_, tokenizer) = Keys(shown, "merges"), small_gpt
    slider = keys.figure.get_by_label("Merges", exact=True)
    assert slider.input_value() == "0" and "every byte is a token" in " ".join(keys.texts())
    keys.reach("Text")
    keys.press("Control+a")
    keys.page.keyboard.type("the café")
    for press, count in (("Home", 0), ("End", len(tokenizer.merges))):
        keys.reach("Merges")
        keys.press(press)
        assert int(slider.input_value()) == count
        found = keys.drawn().partition("tokens: ")[2].removesuffix(".").split(" | ")
        if count:
            assert found == [token.replace("Ġ", "␣") for token in tokenizer.tokenize("the café")]
        else:
            assert len(found) == len("the café".encode())
        assert f"9 bytes, {len(found)} tokens after {count} merges" in keys.said
    keys = Keys(shown, "merges")
    keys.reach("Merges")
    keys.press("Home")
    keys.reach("Next merge", "button")
    keys.press("Enter")
    left, right = tokenizer.merges[0]
    assert f"Merge 1: {left} + {right}".replace("Ġ", "␣") in " ".join(keys.texts())
    keys = Keys(shown, "merges")
    keys.reach("Text")
    keys.press("Control+a", "Backspace")
    assert keys.figure.locator(".live-note").inner_text() == "Type something."
