"""Reads sentences of the agreement grammar word by word: written without its trees.

``Reader(words).accepts()`` is true if there is a reading in which every verb agrees.
"""

from functools import cache

from tfcourse.data.grammars import lexicon

NOUNS = {}  # a form, the compound before it, and whether it is a plural
for entries in lexicon.NOUNS.values():
    for entry in entries:
        NOUNS[entry.compound, entry.singular] = False
        NOUNS[entry.compound, entry.plural] = True
ADJECTIVES = {word for words in lexicon.ADJECTIVES.values() for word in words}
SAID = ADJECTIVES | {word for words in lexicon.STATES.values() for word in words}
DOING = {doing for _, _, doing in lexicon.ALONE} | {doing for _, doing in lexicon.HEARD}
BE = {"is": False, "are": True, "was": False, "were": True, "has": False, "have": True}
ALONE = {form: plural for s, p, _ in lexicon.ALONE for form, plural in ((s, False), (p, True))}
OTHERS = {
    form: plural
    for s, p in lexicon.TO_OTHERS + lexicon.TO_PEOPLE
    for form, plural in ((s, False), (p, True))
}
BRINGS = {"brings": False, "bring": True}
PREPOSITIONS = {tuple(t.split()) for ts in lexicon.PREPOSITIONS.values() for t in ts}


class Reader:
    """All readings of a sentence; each method gives the places at which its phrase may end."""

    def __init__(self, words):
        self.words = tuple(words)
        self.noun_phrase = cache(self.noun_phrase)
        self.clause = cache(self.clause)

    def at(self, i):
        return self.words[i] if i < len(self.words) else ""

    def accepts(self):
        ends = self.clause(0)
        for end, _ in self.noun_phrase(0):
            if self.at(end) in lexicon.TELLING:
                ends = ends | self.clause(end + 1)
        return len(self.words) in ends

    def clause(self, i):
        """A subject, its verb, and perhaps *and* with another verb."""
        ends = set()
        for j, plural in self.noun_phrase(i):
            for end in self.verb_phrase(j, plural):
                ends.add(end)
                if self.at(end) == "and":
                    ends |= self.verb_phrase(end + 1, plural)
        return ends

    def noun_phrase(self, i):
        """*the*, adjectives, a noun, and what modifies it: where it ends and its number."""
        if self.at(i) != "the":
            return frozenset()
        i += 1
        while self.at(i) in ADJECTIVES:
            i += 1
        found = set()
        for compound, start in (("", i), (self.at(i), i + 1)):
            if (compound, self.at(start)) in NOUNS:
                plural = NOUNS[compound, self.at(start)]
                ends, new = set(), {start + 1}
                while new:
                    ends |= new
                    new = {e for end in new for e in self.modifier(end, plural)} - ends
                found |= {(end, plural) for end in ends}
        return frozenset(found)

    def modifier(self, i, plural):
        ends = set()
        for words in PREPOSITIONS:
            if self.words[i : i + len(words)] == words:
                ends |= {end for end, _ in self.noun_phrase(i + len(words))}
        if self.at(i) == "that":
            if OTHERS.get(self.at(i + 1)) == plural:
                ends |= {end for end, _ in self.noun_phrase(i + 2)}
            ends |= self.bare(i + 1)
        if self.at(i) == "where":
            for j, number in self.noun_phrase(i + 1):
                k = self.be(j, number)
                if k and self.at(k) in DOING:
                    ends.add(k + 1)
        return ends | self.bare(i)

    def bare(self, i):
        """Somebody and what they do to the noun before."""
        return {j + 1 for j, number in self.noun_phrase(i) if OTHERS.get(self.at(j)) == number}

    def be(self, i, plural):
        """The place after *is*, or after *has been*; 0 where it does not agree."""
        if BE.get(self.at(i)) != plural:
            return 0
        if self.at(i) in ("has", "have"):
            return i + 2 if self.at(i + 1) == "been" else 0
        return i + 1

    def verb_phrase(self, i, plural):
        ends = set()
        if ALONE.get(self.at(i)) == plural:
            ends.add(i + 1)
        if OTHERS.get(self.at(i)) == plural:
            ends |= {end for end, _ in self.noun_phrase(i + 1)}
            if self.at(i + 1) == "people":
                ends.add(i + 2)
        joy = self.words[i + 1 : i + 4] == ("joy", "to", "people")
        if BRINGS.get(self.at(i)) == plural and joy:
            ends.add(i + 4)
        j = self.be(i, plural)
        if j:
            k = j + 1 if self.at(j) in lexicon.DEGREES[1:] else j
            if self.at(k) in SAID or (k == j and self.at(j) in DOING):
                ends.add(k + 1)
        return ends
