"""A number in words, in several languages.

German puts the units before the tens, *siebenundzwanzig*; French counts in scores.
"""

from __future__ import annotations

from functools import lru_cache

from tfcourse.arguments import one_of, whole

#: Languages in which num2words writes all numbers below a million in standard spelling; and the
#: digits themselves.
LANGUAGES = ("de", "en", "eo", "fi", "fr", "id", "pl", "pt", "digits")


def number_words(number: int, language: str) -> str:
    """A number written out in words.

    For example ``"siebenundzwanzig"``; English has no commas, *one thousand two hundred and six*. A
    number not from 0 to 999,999, or a language not in :data:`LANGUAGES`, raises ``ValueError``.
    """
    one_of(LANGUAGES, language=language)
    whole(0, 999_999, number=number)
    return _words(number, language)


@lru_cache(maxsize=1 << 17)
def _words(number: int, language: str) -> str:
    if language == "digits":
        return str(number)
    from num2words import num2words  # only needed for words

    words = num2words(number, lang=language).replace(",", "")
    # It writes "zweihunderteinstausend" for 201,000.
    return words.replace("einstausend", "eintausend") if language == "de" else words
