"""The heads of the small reader and of a real encoder."""

from pathlib import Path

import pytest
import torch
from figure_pages import NEAR, NUMBER, SENTENCE, Keys, browser, stored_sentence, typed
from live_site import computed

from coursebook.live.catalogue import FIGURES


@browser
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("text", [SENTENCE, "the guitar strings hummed one last melancholic note"])
def test_the_scripts_reader_is_the_packages(loaded, reader, text: str, causal: bool) -> None:
    words = text.split()
    found = computed(
        loaded,
        """([words, causal]) => {
            const model = Live.reader(Live.data.reader), run = model.read(words, { causal });
            return { ...run, sense: model.sense(words, run.states).shares };
        }""",
        [words, causal],
    )
    expected = reader(words, causal)
    for h, head in enumerate(found["each"]):
        for name in ("q", "weights", "output"):
            difference = torch.tensor(head[name]) - expected[name][h]
            assert difference.abs().max() < NEAR, f"{name} of head {h}"
    if not causal:  # the encoder itself has no causal mask
        assert (torch.tensor(found["states"]) - expected["states"]).abs().max() < NEAR
        assert found["sense"] == pytest.approx(expected["sense"].tolist(), abs=NEAR)


@browser
def test_heads(shown, reader) -> None:
    keys = Keys(shown, "heads")
    typed(keys, SENTENCE)
    words = SENTENCE.split()
    expected = reader(words)
    for h in range(4):
        cells = [text for text in keys.texts(h)[1 + 2 * len(words) :] if NUMBER.fullmatch(text)]
        shown_weights = torch.tensor([float(x) for x in cells]).view(9, 9)
        assert (shown_weights - expected["weights"][h]).abs().max() < 0.005 + NEAR
    keys.reach("Query word")
    keys.press("Home", *["ArrowRight"] * words.index("note"))
    row = expected["weights"][:, words.index("note")]
    for h in range(4):
        best = int(row[h].argmax())
        assert f"{words[best]} in head {h + 1} ({row[h, best]:.2f})" in keys.said
    assert f"takes note for a tone (probability {expected['sense'][1]:.2f})" in keys.said
    keys = Keys(shown, "heads")
    typed(keys, "the singer played the violin")
    assert "takes note" not in keys.said


@browser
def test_heads_of_the_real_encoder(shown, course: Path) -> None:
    """The sentence that chapter 6 begins with, however it is typed, is read by the real encoder."""
    keys, sentence = Keys(shown, "heads"), FIGURES["heads"].data["sentence"]
    one = stored_sentence(course, sentence)
    for text in (sentence, sentence.upper().replace("'", "’") + "."):
        typed(keys, text)
        for n, (head, rows) in enumerate(one["heads"].items()):
            row = torch.tensor(rows[one["asks"]]) / 1000
            layer, number = head.split(".")
            best = one["words"][int(row.argmax())]
            assert keys.drawn(n).startswith(f"Layer {layer}, head {number}: the word it gives")
            assert keys.drawn(n).endswith(f"{row.max():.2f}, to {best}.")
        assert "does not know" not in keys.figure.inner_text()
    typed(keys, "the cat was scared")
    assert keys.drawn().startswith("Head 1: ")
