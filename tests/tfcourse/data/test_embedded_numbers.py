"""Number words against words composed here; and which piece corresponds to which."""

import collections

import pytest

from tfcourse import data
from tfcourse.data.number_pairs import COUNTED
from tfcourse.data.number_pieces import gold_alignment, number_pieces
from tfcourse.data.number_words import LANGUAGES, number_words


def words(text):
    return text.split()


# Written here from grammars, not from num2words.
ENGLISH = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
ENGLISH_TENS = words("- - twenty thirty forty fifty sixty seventy eighty ninety")
GERMAN = words(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
)
GERMAN_TENS = words("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
FRENCH = words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
)
FRENCH_TENS = words(
    "- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt"
)


def english(n):
    if n < 20:
        return ENGLISH[n]
    if n < 100:
        return ENGLISH_TENS[n // 10] + ("-" + ENGLISH[n % 10] if n % 10 else "")
    if n < 1000:
        return ENGLISH[n // 100] + " hundred" + (" and " + english(n % 100) if n % 100 else "")
    rest = n % 1000
    link = " and " if 0 < rest < 100 else " "
    return english(n // 1000) + " thousand" + (link + english(rest) if rest else "")


def german(n, last=True):
    if n == 1 and last:
        return "eins"
    if n < 20:
        return GERMAN[n]
    if n < 100:
        return (GERMAN[n % 10] + "und" if n % 10 else "") + GERMAN_TENS[n // 10]
    if n < 1000:
        return GERMAN[n // 100] + "hundert" + (german(n % 100, last) if n % 100 else "")
    return german(n // 1000, False) + "tausend" + (german(n % 1000) if n % 1000 else "")


def french(n, last=True):
    if n < 20:
        return FRENCH[n]
    if n < 100:
        base, rest = FRENCH_TENS[n // 10], n % 10 + (10 if n // 10 in (7, 9) else 0)
        if n == 80:
            return "quatre-vingts" if last else "quatre-vingt"
        if rest == 0:
            return base
        return base + (" et " if rest in (1, 11) and n < 80 else "-") + FRENCH[rest]
    if n < 1000:
        many = FRENCH[n // 100] + " " if n >= 200 else ""
        plural = "s" if n % 100 == 0 and n >= 200 and last else ""
        return many + "cent" + plural + (" " + french(n % 100, last) if n % 100 else "")
    many = french(n // 1000, False) + " " if n >= 2000 else ""
    return many + "mille" + (" " + french(n % 1000) if n % 1000 else "")


SAMPLE = [*range(1100), *range(1100, 999_999, 1009), 80_000, 200_000, 80_080, 999_999]


@pytest.mark.parametrize("language, written", [("en", english), ("de", german), ("fr", french)])
def test_words_are_those_of_the_grammar(language, written):
    for number in SAMPLE:
        assert number_words(number, language) == written(number)


@pytest.mark.parametrize(
    "language, number, said",
    [
        ("de", 27, "siebenundzwanzig"),
        ("de", 101_001, "einhunderteintausendeins"),
        ("en", 1206, "one thousand two hundred and six"),
        ("fr", 97, "quatre-vingt-dix-sept"),
        ("fi", 23_045, "kaksikymmentäkolmetuhatta neljäkymmentäviisi"),
        ("pl", 22_105, "dwadzieścia dwa tysiące sto pięć"),
        ("pt", 1100, "mil e cem"),
        ("id", 11_111, "sebelas ribu seratus sebelas"),
        ("eo", 4099, "kvar mil naŭdek naŭ"),
        ("digits", 4099, "4099"),
    ],
)
def test_known_words(language, number, said):
    assert number_words(number, language) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_numbers_have_the_same_words_or_pieces(language):
    numbers = [*range(2100), *range(2100, 999_999, 4999)]
    assert len({number_words(n, language) for n in numbers}) == len(numbers)
    assert len({number_pieces(n, language) for n in numbers}) == len(numbers)


def test_german_and_finnish_pieces_are_the_word_and_few():
    for language in ("de", "fi"):
        pieces = [number_pieces(n, language) for n in SAMPLE]
        for n, found in zip(SAMPLE, pieces, strict=True):
            assert "".join(found) == number_words(n, language).replace(" ", "")
        assert len({piece for found in pieces for piece in found}) < 35
    assert number_pieces(16, "de") == ("sechzehn",)
    assert number_pieces(4099, "digits") == ("4", "0", "9", "9")


def test_the_alignment_crosses():
    assert gold_alignment(27) == (2, 0)
    assert gold_alignment(27, "en", "de") == (1, -1, 0)
    assert gold_alignment(1206) == (0, 1, 2, 3, -1, 4)
    assert gold_alignment(0) == (0,)
    with pytest.raises(ValueError, match="source must be one of .*got 'fr'"):
        gold_alignment(27, "fr")
    with pytest.raises(ValueError, match="number must be a whole number, from 0 to 999999"):
        gold_alignment(1_000_000)


def test_a_digit_moves_the_pieces_that_are_aligned():
    """Another digit changes one piece in each language: those two stand for each other."""
    for number in (27, 345, 6789, 23_456, 123_456, 987_654):
        sides = {lang: number_pieces(number, lang) for lang in ("de", "en")}
        for place, digit in enumerate(reversed(str(number))):
            other = 10**place if digit != "9" else -(10**place)
            if place in (1, 4) and str(number + other)[-place - 1] in "01":
                continue  # teens are one piece
            changed = {}
            for lang, pieces in sides.items():
                moved = number_pieces(number + other, lang)
                assert len(moved) == len(pieces)
                (changed[lang],) = [i for i, p in enumerate(pieces) if p != moved[i]]
            assert gold_alignment(number)[changed["en"]] == changed["de"]


@pytest.fixture(scope="module")
def numbers():
    load = data.load
    return {s: [int(p.source) for p in load("number-words", s, source="digits", target="digits")]
            for s in data.info("number-words").splits}  # fmt: skip


def test_test_numbers_are_never_seen(numbers):
    everything = [n for split in numbers.values() for n in split]
    assert len(set(everything)) == len(everything)
    assert set(range(COUNTED)) <= set(numbers["train"])
    assert {split: len(found) for split, found in numbers.items()} == {
        "train": 20_000, "validation": 1_000, "test": 1_000
    }  # fmt: skip


def test_lengths_vary_evenly(numbers):
    for split, count in (("train", 20_000), ("test", 1_000)):
        digits = collections.Counter(len(str(n)) for n in numbers[split])
        assert digits[4] > count / 4 and digits[5] > count / 4 and digits[6] > count / 4
        assert digits[3] > count * 3 / 100


def test_the_test_stays_when_training_is_smaller(numbers):
    def held(split, **options):
        options |= {"source": "digits", "target": "digits"}
        return [int(p.source) for p in data.load("number-words", split, **options)]

    assert held("test", examples=50) == numbers["test"]
    assert len(held("train", examples=50)) == 50
    assert max(held("train", largest=1500)) <= 1500
    assert held("test", seed=1) != numbers["test"]


def test_pairs_say_the_same(numbers):
    pairs = data.load("number-words", "test", source="de", target="en")
    for number, pair in zip(numbers["test"], pairs, strict=True):
        assert pair == (german(number), english(number))
    pieces = data.load("number-words", "test", form="pieces")
    assert [p.source.replace(" ", "") for p in pieces] == [p.source for p in pairs]
