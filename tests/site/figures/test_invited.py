"""What a lesson's title, its text or a figure's hint invites to type is answered sensibly."""

import re

import pytest
from figure_pages import Keys, browser

from coursebook import course as places
from coursebook.live.catalogue import FIGURES

from .test_map import family

GUITAR = "The guitar strings hummed one last melancholic note"
CAT = "The cat was scared because it didn't recognize me in my mask"
FRIDGE = "There was a brief note on the fridge asking us to pay the rent"

#: What is typed into which figure, and what it then says or draws.
INVITED = {
    "word-walk": [
        ("king − man + woman", "woman: queen"),
        ("songs − song + game", "game: games"),
        ("went − go + take", "take: took"),
        ("london − england + france", "france: paris"),
        ("funny", "Nearest to funny: amusing"),
    ],
    "gates": [
        ("The students in the exam where the fire alarm is ringing", "After ringing: plural"),
    ],
    "film-review": [
        ("not a bad film at all", "heaviest word is bad"),
        ("what a waste of time", r"heaviest word is waste.*: bad"),
    ],
    "alignment": [
        ("27", "Before writing twenty it looks most at zwanzig"),
        ("72", "Before writing seventy it looks most at siebzig"),
        ("1000", "Before writing one it looks most at ein"),
        ("345627", "looks most at drei"),
        ("dreihundertsiebzehn", "looks most at drei"),
    ],
    "attention-steps": [(GUITAR, "note")],
    "attends": [(GUITAR, "note attends most to"), (CAT, "it attends most to cat")],
    "heads": [(CAT, r"it \(word 7\) looks most at cat")],
    "map": [
        ("The dog runs through the", "next token: “␣(grass|snow|water)”"),
        ("A man is playing the", "next token: “␣guitar”"),
    ],
    "writer": [("The guitar strings hummed one last", "tokens can be drawn")],
    "hidden-word": [
        ("she is in ___ with a man who does not know it", r"^With both sides: love \("),
        ("tom ___ plays a soldier in world war ii", r"^With both sides: hanks \("),
    ],
    "two-senses": [(FRIDGE, "for a message in the first sentence")],
    "translator": [
        ("siebenundzwanzig", r"Written: twenty seven\."),
        ("einundzwanzig", r"Written: twenty one\."),
        ("quatre-vingt-dix", r"Written: ninety\."),
        ("neunzig", r"Written: ninety\."),
        ("March 3, 1999", r"Written: March 3, 1999\."),
        ("zwanzigtausend", r"Written: twenty thousand\."),
        ("vingt mille", r"Written: twenty thousand\."),
        ("neunzehnhundert", r"Written: one thousand nine hundred\."),
        ("siebenunddreißigtausendfünfhunderteinundzwanzig",
         r"Written: thirty seven thousand five hundred and twenty one\."),
    ],
    "captions": [("Zwei Hunde spielen im Schnee.", r"It wrote: Two dogs .*snow")],
}  # fmt: skip

#: What a figure says of words that its model does not know, and of those that it leaves out.
STRANGE = re.compile(
    "never seen|not among|not know|only the first|hardly read|never say|reads German", re.IGNORECASE
)

LETTERS = re.compile(r"\w")


@browser
@pytest.mark.parametrize("name", INVITED)
def test_what_a_reader_is_invited_to_type_is_known_and_answered(shown, name: str) -> None:
    keys = Keys(shown, name)
    for text, answer in INVITED[name]:
        keys.figure.locator(".live-sentence input").first.fill(text)
        note = keys.figure.locator(".live-note").first.inner_text()
        assert not STRANGE.search(note), (text, note)
        answers = f"{keys.said} {keys.drawn()}"
        assert re.search(answer, answers), (text, answers)


def test_every_hint_that_invites_to_type_is_tried() -> None:
    """A hint that begins a list of examples with such a word belongs to a figure of the table."""
    root = places.root()
    inviting = {
        name
        for name in FIGURES
        if re.search(r'ui\.hint\("(?:␣ is a space\. )?(?:Try|Make|Change) ',
                     places.figure_script(root, name).read_text("utf-8"))
        and "ui.sentence(" in places.figure_script(root, name).read_text("utf-8")
    }  # fmt: skip
    own_words = {"merges"}  # any text is cut
    assert inviting - own_words <= set(INVITED)
    assert len(inviting) >= 5


@browser
@pytest.mark.parametrize("model", FIGURES["map"].data["examples"])
def test_each_example_of_the_map_is_typed_by_a_press_and_known(shown, model: str) -> None:
    keys = Keys(shown, "map")
    family(keys, model)
    for text in FIGURES["map"].data["examples"][model]:
        keys.figure.get_by_role("button", name=text, exact=True).press("Enter")
        assert keys.figure.get_by_label("Your text").input_value() == text
        note = keys.figure.locator(".live-note").first.inner_text()
        assert not STRANGE.search(note), (text, note)
        read = keys.figure.locator(".map-written").inner_text()
        assert LETTERS.findall(read)[:3] == LETTERS.findall(text)[:3], (text, read)
