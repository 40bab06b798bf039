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

# These take time linear in the text, even if a string is never closed.
_STRING = r"""
    \"{3} [^"\\]* (?: (?: \\.? | "(?!"") ) [^"\\]* )* (?: \"{3} | \Z )
  | '{3} [^'\\]* (?: (?: \\.? | '(?!'') ) [^'\\]* )* (?: '{3} | \Z )
  | " [^"\\\n]* (?: \\.? [^"\\\n]* )* "?
  | ' [^'\\\n]* (?: \\.? [^'\\\n]* )* '?
"""
_COMMENT_OR_STRING = re.compile(rf"(?P<comment> \#[^\n]* ) | {_STRING}", re.VERBOSE | re.DOTALL)
_TOKEN = re.compile(
    rf"""
      (?P<string> (?: [rbuftRBUFT]{{1,2}} (?=["']) )? (?: {_STRING} ) )
    | (?P<name> [^\W\d]\w* ) | \d[\w.]* | [^\w\s]
    """,
    re.VERBOSE | re.DOTALL,
)
_SYMBOL = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\s\w]")
_WORD = re.compile(r"\w+")

#: The hash of a run is a polynomial in its tokens, modulo a prime.
_PRIME, _BASE = (1 << 61) - 1, 0x9E3779B97F4A7C15 % ((1 << 61) - 1)


class Token(NamedTuple):
    """A token as it is compared, and the characters of the answer that it stands for."""

    text: str
    begin: int
    end: int


class Print(NamedTuple):
    """A fingerprint: its hash, how the answer was read, and the characters that it covers."""

    mark: int
    how: str
    begin: int
    end: int


def without_comments(source: str) -> str:
    """Code with blanks in place of its comments and docstrings."""
    pieces, done = [], 0
    for match in _COMMENT_OR_STRING.finditer(source):
        if match["comment"] or _stands_alone(source, match):
            pieces += [source[done : match.start()], " " * (match.end() - match.start())]
            done = match.end()
    return "".join([*pieces, source[done:]])


def form(source: str) -> list[Token]:
    """The tokens of code without comments, docstrings, layout, names and the text of strings."""
    found = []
    for match in _TOKEN.finditer(without_comments(source)):
        kind, text = match.lastgroup, match.group()
        if kind == "string" or (kind == "name" and not keyword.iskeyword(text)):
            text = str(kind)
        found.append(Token(text, *match.span()))
    return found


def as_written(source: str) -> list[Token]:
    """The tokens of code with names and comments, without layout."""
    return [Token(match.group(), *match.span()) for match in _SYMBOL.finditer(source)]


def symbols(source: str) -> list[str]:
    """The text of the same tokens, found faster."""
    return _SYMBOL.findall(source)


def words(text: str) -> list[Token]:
    """The words of a text, in lower case."""
    return [Token(match.group().lower(), *match.span()) for match in _WORD.finditer(text)]


def runs(tokens: Sequence[Token], how: str, length: int) -> list[int]:
    """The hash of each run of ``length`` tokens; a shorter sequence counts as one run."""
    numbers = [_number(how, token.text) for token in tokens]
    if not numbers:
        return []
    length = min(length, len(numbers))
    leaving, total = pow(_BASE, length, _PRIME), 0
    found = []
    for index, number in enumerate(numbers):
        total = (total * _BASE + number) % _PRIME
        if index >= length:
            total = (total - numbers[index - length] * leaving) % _PRIME
        if index >= length - 1:
            found.append(total)
    return found


@lru_cache(100_000)
def _number(how: str, text: str) -> int:
    return zlib.crc32(f"{how} {text}".encode("utf-8", "replace")) + 1


def readings(text: str, code: bool) -> Iterator[tuple[str, list[Token], list[int]]]:
    """The ways to read an answer, each with its tokens and the hashes of their runs."""
    if code:
        for how, tokens in ((FORM, form(text)), (AS_WRITTEN, as_written(text))):
            yield how, tokens, runs(tokens, how, RUN)
    else:
        found = words(text)
        yield WORDS, found, runs(found, WORDS, RUN_OF_WORDS)


def prints(text: str, code: bool) -> list[Print]:
    """The fingerprints of an answer, in order for each way to read it.

    Parameters
    ----------
    text:
        The answer.
    code:
        Whether it is code and not a text.
    """
    found = []
    for how, tokens, hashes in readings(text[:MOST_CHARACTERS], code):
        length = len(tokens) - len(hashes) + 1
        for at in _winnowed(hashes):
            found.append(Print(hashes[at], how, tokens[at].begin, tokens[at + length - 1].end))
    return found


def all_runs(text: str, code: bool) -> Iterator[int]:
    """The hash of every run, chosen or not: nothing that an answer took from here is overlooked."""
    for _, _, hashes in readings(text, code):
        yield from hashes


def _winnowed(hashes: Sequence[int]) -> list[int]:
    """The place of the smallest hash of each window; the last such place if there are several."""
    found: list[int] = []
    for start in range(max(1, len(hashes) - WINDOW + 1)):
        window = range(start, min(start + WINDOW, len(hashes)))
        if not window:
            break
        at = min(window, key=lambda i: (hashes[i], -i))
        if not found or found[-1] != at:
            found.append(at)
    return found


def _stands_alone(source: str, string: re.Match) -> bool:
    """Whether a string is a statement, such as a docstring: it is alone on its lines."""
    before = source[source.rfind("\n", 0, string.start()) + 1 : string.start()]
    end = source.find("\n", string.end())
    after = source[string.end() : end if end >= 0 else len(source)]
    return not before.strip(" \trRuUbB") and not after.strip()
