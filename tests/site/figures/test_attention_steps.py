"""Attention over a sentence, one step after the other."""

import pytest
from figure_pages import NEAR, SENTENCE, Keys, browser, numbers, typed

from coursebook.live.catalogue import FIGURES


@browser
def test_attention_is_walked_through_step_by_step(shown, reader) -> None:
    keys, head = Keys(shown, "attention-steps"), FIGURES["attention-steps"].data["head"]
    typed(keys, SENTENCE)
    words = SENTENCE.split()
    expected = reader(words)["weights"][head]
    keys.reach("Query word")
    for n, word in enumerate(words, 1):
        keys.press("Home", *["ArrowRight"] * (n - 1))
        assert keys.drawn().startswith(f"The query is {word}.")
        weights = numbers(keys.drawn().partition("Weights: ")[2])
        assert weights == pytest.approx(expected[n - 1].tolist(), abs=0.005 + NEAR)
    keys.press("Home")
    keys.reach("Step")
    keys.press("Home")
    assert "values" not in keys.texts()
    keys.reach("Next", "button")
    for step in (2, 3, 4):
        keys.press("Enter")
        assert keys.said.startswith(f"Step {step} of 4")
    assert "values" in keys.texts() and "weighted sum: the output" in keys.texts()
    keys.press("Enter")
    assert keys.said.startswith("Step 1 of 4") and "singer (word 2)" in keys.said
    keys.page.keyboard.press("Shift+Tab")
    keys.press("Enter", "Enter")
    assert keys.said.startswith("Step 3 of 4") and "the (word 1)" in keys.said


@browser
def test_a_step_moves_what_it_computes_and_leaves_no_copy_behind(shown) -> None:
    keys = Keys(shown, "attention-steps")
    typed(keys, SENTENCE)
    running = "f => f.getAnimations({subtree: true}).length"
    words = len(SENTENCE.split())
    keys.reach("Step")
    # The query; it and the scores; the bars; the values and their sum.
    for key, moving in zip(
        ["Home"] + 3 * ["ArrowRight"], (1, 1 + words, words, words + 1), strict=True
    ):
        keys.press(key)
        assert keys.figure.evaluate(running) == moving
    shown.wait_for_timeout(1500)
    moved = keys.figure.locator("svg").inner_html()
    shown.emulate_media(reduced_motion="reduce")
    try:
        keys.press("ArrowLeft", "ArrowRight")
        assert keys.figure.evaluate(running) == 0
        assert keys.figure.locator("svg").inner_html() == moved
    finally:
        shown.emulate_media(reduced_motion="no-preference")
