"""The words of the agreement grammar: common ones, among them all of Marvin and Linzen's.

Nouns are of four kinds, so that what is said of them makes sense: *the novel surprises the guards*,
not *the guard is unpublished*.
"""

from __future__ import annotations

from typing import NamedTuple


class NounEntry(NamedTuple):
    """A noun's two forms, and what always stands before it, or nothing."""

    singular: str
    plural: str
    compound: str = ""


def _nouns(text: str) -> tuple[NounEntry, ...]:
    """``"child/children security_guard"``: an s where no plural is given."""
    found = []
    for entry in text.split():
        singular, _, plural = entry.partition("/")
        compound, _, singular = singular.rpartition("_")
        found.append(NounEntry(singular, plural or singular + "s", compound))
    return tuple(found)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS: dict[str, tuple[NounEntry, ...]] = {
    "person": _nouns(
        "author pilot surgeon farmer manager customer officer teacher senator consultant architect "
        "assistant chef dancer taxi_driver executive minister parent skater security_guard banker "
        "mechanic student doctor lawyer friend child/children man/men woman/women girl boy king "
        "soldier artist singer player worker scientist writer neighbour judge"
    ),
    "work": _nouns(
        "movie book novel poem picture painting song television_show game letter story/stories "
        "report album film article"
    ),
    "thing": _nouns(
        "key cabinet car box/boxes table door window tree fire_alarm phone bell lamp machine boat"
    ),
    "place": _nouns(
        "exam school house city/cities hospital office station hall room park street village "
        "library/libraries church/churches"
    ),
}

#: Subjects of ``test-nouns`` alone; in training they occur, but never as the subject asked about.
HELD_OUT = frozenset(
    ["doctor", "lawyer", "king", "scientist", "letter", "album", "boat", "lamp", "library", "park"]
)

#: Prepositions for a noun of the first kind with one of the second; others are *near* each other.
PREPOSITIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("person", "person"): (
        "near", "behind", "with", "next to", "in front of", "across from", "to the side of",
    ),
    ("person", "thing"): ("near", "behind", "with", "next to", "in front of"),
    ("person", "place"): ("in", "at", "from", "near", "outside"),
    ("person", "work"): ("with", "in", "behind"),
    ("work", "person"): ("from", "by", "about", "of"),
    ("work", "thing"): ("about", "on", "near"),
    ("work", "place"): ("in", "from", "about"),
    ("work", "work"): ("about", "near"),
    ("thing", "person"): ("of", "near", "behind", "next to"),
    ("thing", "thing"): ("near", "on", "behind", "under", "next to"),
    ("thing", "place"): ("in", "near", "at", "outside"),
    ("place", "person"): ("of", "near", "behind"),
    ("place", "thing"): ("with", "near", "behind"),
    ("place", "place"): ("near", "behind", "in", "across from"),
}  # fmt: skip

#: What is said before a noun and after *is* or *are*, perhaps with a degree.
ADJECTIVES = {
    "person": _words("young old tall short famous happy quiet tired busy kind angry stressed"),
    "work": _words("new old good bad popular unpopular famous short strange long"),
    "thing": _words("new old small large heavy expensive"),
    "place": _words("new old small large quiet famous busy"),
}
DEGREES = ("", "really", "very", "often")

#: What is said after *is* or *are* only, and has no degrees.
STATES = {
    "person": _words("ready afraid asleep alone"),
    "work": _words("unknown complete ready"),
    "thing": _words("ready missing gone broken"),
    "place": _words("empty full open closed"),
}

#: What somebody does alone: as a finite verb in two forms, and after *is* or *are*.
ALONE = (
    ("laughs", "laugh", "laughing"),
    ("smiles", "smile", "smiling"),
    ("swims", "swim", "swimming"),
    ("sleeps", "sleep", "sleeping"),
    ("works", "work", "working"),
    ("sings", "sing", "singing"),
    ("waits", "wait", "waiting"),
    ("talks", "talk", "talking"),
    ("runs", "run", "running"),
    ("dances", "dance", "dancing"),
)

#: What somebody does to somebody or something.
TO_OTHERS = (
    ("likes", "like"),
    ("loves", "love"),
    ("hates", "hate"),
    ("admires", "admire"),
    ("knows", "know"),
    ("sees", "see"),
    ("remembers", "remember"),
    ("wants", "want"),
)

#: What books, things and places do to somebody.
TO_PEOPLE = (
    ("pleases", "please"),
    ("surprises", "surprise"),
    ("interests", "interest"),
    ("amuses", "amuse"),
    ("bothers", "bother"),
)

#: What makes itself heard where somebody is: nouns of ``"thing"`` and what they do.
HEARD = (
    ("alarm", "ringing"),
    ("phone", "ringing"),
    ("bell", "ringing"),
    ("machine", "running"),
)

#: *is*, *was* and *has been*: what stands between subject and predicate.
COPULAS = (("is", "are", ()), ("was", "were", ()), ("has", "have", ("been",)))

#: Verbs in the past, whose form does not show the subject's number.
TELLING = ("said", "knew", "thought")
