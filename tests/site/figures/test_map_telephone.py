"""The map on a telephone: its parts have names that nothing cuts, and the guess stands below."""

import pytest
from figure_pages import Keys, browser
from live_site import offline

from .test_map import family
from .test_map_views import choose

TELEPHONE = {"width": 390, "height": 844}


@pytest.fixture
def telephone(chromium, page_file):
    with offline(chromium, reduced_motion="reduce", viewport=TELEPHONE) as page:
        page.folder = page_file.parent
        yield Keys(page, "map")


def boxes(keys: Keys, name: str) -> list[dict]:
    named = keys.figure.locator(".live-map.tall").get_by_text(name, exact=True)
    return [one.bounding_box() for one in named.all()]


@browser
def test_each_feed_forward_network_of_the_translator_has_its_name(telephone) -> None:
    family(telephone, "Caption translator")  # three blocks: some names stand upright
    assert [len(boxes(telephone, name)) for name in ("FFN", "cross", "self")] == [6, 3, 5]
    family(telephone, "Translator")
    each = boxes(telephone, "FFN")
    assert len(each) == 4
    others = [one for name in ("self", "cross", "FFN") for one in boxes(telephone, name)]
    for one in each:
        beside = [two for two in others if two != one and abs(two["y"] - one["y"]) < 4]
        assert all(
            two["x"] + two["width"] < one["x"] or one["x"] + one["width"] < two["x"]
            for two in beside
        )


@browser
@pytest.mark.parametrize("name", ["Decoder", "Encoder"])
def test_the_frame_of_the_embedding_does_not_cut_its_name(telephone, name: str) -> None:
    family(telephone, name)
    choose(telephone, "0.embed.")
    (word,) = boxes(telephone, "embedding")
    frame = telephone.figure.locator(".live-map.tall .mark.open").bounding_box()
    assert frame["x"] <= word["x"]
    assert word["x"] + word["width"] <= frame["x"] + frame["width"]


@browser
def test_no_line_of_the_embeddings_view_is_cut(telephone) -> None:
    family(telephone, "Translator")
    choose(telephone, "0.embed.")
    lines = telephone.figure.locator(".map-stage.tall text").all_text_contents()
    assert not [one for one in lines if "…" in one]


@browser
@pytest.mark.parametrize("name", ["Decoder", "Larger decoder"])
def test_the_guess_after_each_vector_is_that_of_the_wide_map(telephone, name: str) -> None:
    family(telephone, name)
    at = """(map) => {
        const vectors = [...map.querySelectorAll("rect.slot")].map((one) => one.y.baseVal.value);
        const low = Math.max(...vectors);
        return [...map.querySelectorAll("text.mono.strong.end")].filter((one) => {
            const y = one.y.baseVal[0].value;
            return y > low + 44 && y < low + 76 && !one.closest(".bar");
        }).map((one) => one.textContent);
    }"""
    tall, wide = (telephone.figure.locator(f".live-map.{form}").evaluate(at)
                  for form in ("tall", "wide"))  # fmt: skip
    assert len(tall) >= 5
    if name == "Decoder":
        assert tall == wide
    else:  # its narrow networks have no vector here
        assert set(tall) <= set(wide)
