"""Fingerprints of an answer, chosen by winnowing (Schleimer, Wilkerson and Aiken, 2003).

An answer is a sequence of tokens. Every run of :data:`RUN` tokens has a hash, and of each
:data:`WINDOW` neighbouring runs the one with the smallest hash is a fingerprint. So two answers
with ``RUN + WINDOW - 1`` tokens in common always share one, wherever these stand.

Code is read twice: once without names, strings, comments and layout, which a copier changes
first, and once as written. A text is read as words. Text that is not Python is split in the same
way, so that an unfinished answer can be compared too.
"""

from __future__ import annotations

import keyword
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

#: Number of tokens in a run of code, and of words in a run of text.
RUN, RUN_OF_WORDS = 12, 5

#: Number of neighbouring runs of which one is chosen.
WINDOW = 4

#: Maximum number of an answer's characters that are compared.
MOST_CHARACTERS = 20_000

#: How an answer was read: without its names, as written, or as words.
FORM, AS_WRITTEN, WORDS = "form", "as written", "words"

# Takes time linear in the text, even if a string is never closed.
_COMMENT_OR_STRING = re.compile(
    r"""
    (?P<comment> \#[^\n]* )
  | \"{3} [^"\\]* (?: (?: \\.? | "(?!"") ) [^"\\]* )* (?: \"{3} | \Z )
  | '{3} [^'\\]* (?: (?: \\.? | '(?!'') ) [^'\\]* )* (?: '{3} | \Z )
  | " [^"\\\n]* (?: \\.? [^"\\\n]* )* "?
  | ' [^'\\\n]* (?: \\.? [^'\\\n]* )* '?
    """,
    re.VERBOSE | re.DOTALL,
)

#: Takes the place of each character of a string.
_IN_STRING = "\0"

_SYMBOL = re.compile(rf"[^\W\d]\w*|\d[\w.]*|{_IN_STRING}+|[^\s\w]")
_WORD = re.compile(r"\w+")

#: The hash of a run is a polynomial in its tokens, modulo a prime.
_PRIME, _BASE = (1 << 61) - 1, 0x9E3779B97F4A7C15 % ((1 << 61) - 1)


class Print(NamedTuple):
    """A fingerprint: its hash, how the answer was read, and the characters that it covers."""

    mark: int
    how: str
    begin: int
    end: int


def without_comments(source: str) -> str:
    """Code with blanks in place of its comments and docstrings."""
    return _replaced(source, strings=False)


def tokens(text: str, how: str) -> list[str]:
    """The tokens of a text, read in one of the three ways.

    ``FORM`` leaves out comments and docstrings and does not tell names apart, nor strings.
    """
    if how == WORDS:
        return [word.lower() for word in _WORD.findall(text)]
    if how == AS_WRITTEN:
        return _SYMBOL.findall(text)
    return [_nameless(token) for token in _SYMBOL.findall(_replaced(text, strings=True))]


def _places(text: str, how: str) -> list[tuple[int, int]]:
    """The characters of each of the tokens."""
    text = _replaced(text, strings=True) if how == FORM else text
    pattern = _WORD if how == WORDS else _SYMBOL
    return [match.span() for match in pattern.finditer(text)]


def _replaced(source: str, strings: bool) -> str:
    """Code of the same length without comments and docstrings, and without other strings' text."""
    pieces, done = [], 0
    for match in _COMMENT_OR_STRING.finditer(source):
        apart = match["comment"] or _stands_alone(source, match)
        if apart or strings:
            length = match.end() - match.start()
            pieces += [source[done : match.start()], (" " if apart else _IN_STRING) * length]
            done = match.end()
    return "".join([*pieces, source[done:]])


@lru_cache(100_000)
def _nameless(token: str) -> str:
    if token.startswith(_IN_STRING):
        return "string"
    return "name" if token.isidentifier() and not keyword.iskeyword(token) else token


def runs(tokens: Sequence[str], how: str) -> list[int]:
    """The hash of each run of tokens; a sequence that is shorter than a run counts as one."""
    if not tokens:
        return []
    numbers = [_number(how, token) for token in tokens]
    length = min(RUN_OF_WORDS if how == WORDS else RUN, len(numbers))
    leaving, total = pow(_BASE, length, _PRIME), 0
    hashes = []
    for index, number in enumerate(numbers):
        total = (total * _BASE + number) % _PRIME
        if index >= length:
            total = (total - numbers[index - length] * leaving) % _PRIME
        if index >= length - 1:
            hashes.append(total)
    return hashes


@lru_cache(100_000)
def _number(how: str, text: str) -> int:
    return zlib.crc32(f"{how} {text}".encode("utf-8", "replace")) + 1


def readings(code: bool) -> tuple[str, ...]:
    """The ways to read an answer."""
    return (FORM, AS_WRITTEN) if code else (WORDS,)


def prints(text: str, code: bool) -> list[Print]:
    """The fingerprints of an answer, in order for each way to read it.

    Parameters
    ----------
    text:
        The answer.
    code:
        Whether it is code and not a text.
    """
    text, made = text[:MOST_CHARACTERS], []
    for how in readings(code):
        hashes, places = runs(tokens(text, how), how), _places(text, how)
        length = len(places) - len(hashes) + 1
        for at in _winnowed(hashes):
            made.append(Print(hashes[at], how, places[at][0], places[at + length - 1][1]))
    return made


def all_runs(text: str, code: bool) -> Iterator[int]:
    """The hash of every run, chosen or not: nothing that an answer took from here is overlooked."""
    for how in readings(code):
        yield from runs(tokens(text, how), how)


def _winnowed(hashes: Sequence[int]) -> list[int]:
    """The place of the smallest hash of each window; the last such place if there are several."""
    chosen: list[int] = []
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = range(start, min(start + WINDOW, len(hashes)))
        if not window:
            break
        at = min(window, key=lambda i: (hashes[i], -i))
        if not chosen or chosen[-1] != at:
            chosen.append(at)
    return chosen


def _stands_alone(source: str, string: re.Match) -> bool:
    """Whether a string is a statement, such as a docstring: it is alone on its lines."""
    before = source[source.rfind("\n", 0, string.start()) + 1 : string.start()]
    end = source.find("\n", string.end())
    after = source[string.end() : end if end >= 0 else len(source)]
    return not before.strip(" \trRuUbB") and not after.strip()
