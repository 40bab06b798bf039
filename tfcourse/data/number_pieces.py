"""Number words in pieces, and which German piece corresponds to which English one.

*siebenundzwanzig* splits into *sieben und zwanzig*, *twenty-seven* into *twenty seven*: the correct
alignment crosses, and is known.
"""

from __future__ import annotations

from tfcourse.arguments import one_of
from tfcourse.data.number_words import number_words

_UNITS = {
    "de": "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
}
_TENS = {
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
}
_HUNDRED = {"de": "hundert", "en": "hundred"}
_THOUSAND = {"de": "tausend", "en": "thousand"}

#: The pieces of languages that write a number as one word.
_PIECES = {
    "de": f"{_UNITS['de']} eins {_TENS['de']} hundert tausend und",
    "fi": "nolla yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen toista "
    "kymmentä sata sataa tuhat tuhatta",
}

#: The languages between which the correct alignment is known.
ALIGNED = ("de", "en")


def number_pieces(number: int, language: str) -> tuple[str, ...]:
    """A number's words in pieces that recur in other numbers.

    ``("sieben", "und", "zwanzig")`` for 27 in German; each digit for ``"digits"``. Errors are those
    of :func:`tfcourse.data.number_words.number_words`.
    """
    text = number_words(number, language)
    if language == "digits":
        return tuple(text)
    words = text.replace("-", " ").split()
    if language not in _PIECES:
        return tuple(words)
    return tuple(piece for word in words for piece in _longest(word, _PIECES[language].split()))


def _longest(word: str, pieces: list[str]) -> list[str]:
    """Split a word into pieces, the longest match first: *sechzehn* is one piece, not two."""
    found = []
    while word:
        piece = max((p for p in pieces if word.startswith(p)), key=len, default=None)
        if piece is None:
            raise AssertionError(f"{word!r} begins with none of the pieces")
        found.append(piece)
        word = word[len(piece) :]
    return found


def _roles(pieces: tuple[str, ...], language: str) -> list[tuple[bool, str] | None]:
    """The role of each piece: whether it counts thousands, and which part of the number it is."""
    units = {*_UNITS[language].split(), "eins"}
    tens = set(_TENS[language].split())
    roles: list[tuple[bool, str] | None] = []
    thousand = pieces.index(_THOUSAND[language]) if _THOUSAND[language] in pieces else -1
    for i, piece in enumerate(pieces):
        high = i <= thousand
        if piece == _THOUSAND[language]:
            roles.append((True, "thousand"))
        elif piece == _HUNDRED[language]:
            roles.append((high, "hundred"))
        elif piece in tens:
            roles.append((high, "tens"))
        elif piece in units:
            counts = pieces[i + 1 : i + 2] == (_HUNDRED[language],)
            roles.append((high, "hundreds" if counts else "units"))
        else:
            roles.append(None)  # "and" and "und" stand elsewhere: neither has a partner
    return roles


def gold_alignment(number: int, source: str = "de", target: str = "en") -> tuple[int, ...]:
    """For each piece of the target, the position of the source piece with the same meaning.

    For 27, ``("sieben", "und", "zwanzig")`` and ``("twenty", "seven")`` give ``(2, 0)``.

    One position for each of ``number_pieces(number, target)``, counted from 0; -1 if there is none:
    English *and* comes before the tens, German *und* between units and tens. A number that is not
    from 0 to 999,999, or a language not in :data:`ALIGNED`, raises ``ValueError``.
    """
    one_of(ALIGNED, source=source, target=target)
    said = _roles(number_pieces(number, source), source)
    asked = _roles(number_pieces(number, target), target)
    places = {role: place for place, role in enumerate(said) if role is not None}
    return tuple(-1 if role is None else places[role] for role in asked)
