"""Whatever is typed for the small model to read, its note says what becomes of it."""

from pathlib import Path

from figure_pages import Keys, browser, typed
from live_site import stored_model


@browser
def test_unknown_words_are_named_and_nothing_breaks(shown, course: Path) -> None:
    known, small = (
        len(stored_model(course, "reader")["words"]) - 3,
        "Read by our small model, in this page.",
    )
    for name, most, who in (("attention-steps", 10, ""), ("heads", 12, small)):
        keys = Keys(shown, name)
        note = keys.figure.locator(".live-note")
        typed(keys, "The zebra’s NOTE, <b>")
        said = f"{who} The model knows {known} words. It does not know zebra and b, and reads each "
        assert note.inner_text() == f"{said}of them as an unknown word.".strip()
        assert "zebra" in keys.texts() and "note" in keys.texts()
        before = keys.drawn()
        typed(keys, " ?! ")
        assert note.inner_text() == "Type at least one word."
        assert keys.drawn() == before, "the last sentence that could be read stays"
        typed(keys, "a note " * 20)
        assert note.inner_text() == f"{who} Only the first {most} words are read.".strip()
        typed(keys, "note")
        assert note.inner_text() == who and "1.00" in keys.drawn()
