"""The words of the agreement grammar, from ``lexicon.toml``.

Nouns are of four kinds, so that their predicates make sense: *the novel surprises the guards*, not
*the guard is unpublished*.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

_SAYS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


class NounEntry(NamedTuple):
    """A noun's two forms, and the word that always precedes it, if any."""

    singular: str
    plural: str
    compound: str = ""


def _nouns(text: str) -> tuple[NounEntry, ...]:
    """Parse ``"child/children security_guard"``; without a plural, an s is added."""
    found = []
    for entry in text.split():
        singular, _, plural = entry.partition("/")
        compound, _, singular = singular.rpartition("_")
        found.append(NounEntry(singular, plural or singular + "s", compound))
    return tuple(found)


def _by_kind(name: str) -> dict[str, tuple[str, ...]]:
    return {kind: tuple(text.split()) for kind, text in _SAYS[name].items()}


def _forms(name: str) -> Any:
    return tuple(tuple(forms.split()) for forms in _SAYS[name])


NOUNS = {kind: _nouns(text) for kind, text in _SAYS["nouns"].items()}

#: Subjects only in ``test-nouns``; in training they occur, but never as the tested subject.
HELD_OUT = frozenset(_SAYS["held_out"].split())

#: Prepositions that join a noun of the first kind to one of the second; all others use *near*.
PREPOSITIONS = {
    (one, other): tuple(words)
    for one, others in _SAYS["prepositions"].items()
    for other, words in others.items()
}

#: Adjectives used before a noun and, perhaps with a degree, after *is* or *are*.
ADJECTIVES = _by_kind("adjectives")
DEGREES = ("", "really", "very", "often")

#: Predicates used only after *is* or *are*, and without a degree.
STATES = _by_kind("states")

#: What somebody does alone: the two finite forms, and the form after *is* or *are*.
ALONE: tuple[tuple[str, str, str], ...] = _forms("alone")

#: What somebody does to somebody or something, and what books, things and places do to somebody.
TO_OTHERS: tuple[tuple[str, str], ...] = _forms("to_others")
TO_PEOPLE: tuple[tuple[str, str], ...] = _forms("to_people")

#: What can be heard somewhere: nouns of ``"thing"`` and what they do.
HEARD = (("alarm", "ringing"), ("phone", "ringing"), ("bell", "ringing"), ("machine", "running"))

#: *is*, *was* and *has been*: what stands between subject and predicate.
COPULAS = (("is", "are", ()), ("was", "were", ()), ("has", "have", ("been",)))

#: Verbs in the past tense, whose form does not show the subject's number.
TELLING = ("said", "knew", "thought")
