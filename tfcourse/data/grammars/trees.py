"""Sentences as dependency trees, which determine the words and the form of the verb.

A tree is made of :class:`Noun`, :class:`Word` and :class:`Verb` in one :class:`Sentence`;
:func:`realise` writes it out word by word. *The students in the exam where the fire alarm is
ringing are really stressed*::

    ringing = Verb("is", "are", (Word("ringing"),))
    alarm = Noun("alarm", "alarms", compound="fire")
    exam = Noun("exam", "exams", modifiers=(Relative(ringing, "where", alarm),))
    students = Noun("student", "students", plural=True, modifiers=(Preposition("in", exam),))
    Sentence(students, Verb("is", "are", (Word("stressed", before=("really",)),)))
"""

from __future__ import annotations

from dataclasses import dataclass

from tfcourse.data.examples import Agreement


@dataclass(frozen=True)
class Word:
    """A word that is always written in the same way.

    The words ``before`` it, such as *really* before *stressed*, depend on it, and so do the parts
    ``after`` it.
    """

    text: str
    before: tuple[str, ...] = ()
    after: tuple[Noun | Word | Preposition, ...] = ()


@dataclass(frozen=True)
class Noun:
    """A noun, with everything that depends on it.

    An empty determiner is left out. ``compound`` is a noun before it that says what kind it is,
    such as *fire* before *alarm*: it agrees with no verb, and is not an attractor. ``modifiers``
    follow.
    """

    singular: str
    plural_form: str
    plural: bool = False
    determiner: str = "the"
    adjectives: tuple[str, ...] = ()
    compound: str = ""
    modifiers: tuple[Preposition | Relative | Word, ...] = ()


@dataclass(frozen=True)
class Preposition:
    """A preposition and its noun, *in the exam*; ``text`` may be several words, *next to*."""

    text: str
    noun: Noun


@dataclass(frozen=True)
class Verb:
    """A finite verb, which agrees with its subject, and what follows it: objects and predicates."""

    singular: str
    plural: str
    after: tuple[Noun | Word | Preposition, ...] = ()


@dataclass(frozen=True)
class Relative:
    """A relative clause.

    Its pronoun may be empty, *the book the guards like*. Its subject is ``None`` if it is the noun
    that the clause modifies.
    """

    verb: Verb
    pronoun: str = "that"
    subject: Noun | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence in the present tense, one of whose verbs is tested.

    ``also`` is a second verb of the same subject, after *and*; if there is one, it is the one
    tested. ``told`` is a subject and a past-tense verb before all that, *the bankers thought*. The
    ``condition`` names the construction in a word or two.
    """

    subject: Noun
    verb: Verb
    also: Verb | None = None
    told: tuple[Noun, str] | None = None
    condition: str = ""


def realise(sentence: Sentence) -> Agreement:
    """Write out a tree as words, with the head of each.

    ``heads`` are those of surface-syntactic dependencies: an auxiliary is the head of its main
    verb, a preposition is the head of its noun, and a subject depends on the finite verb.

    Notes
    -----
    Gerdes et al. 2018, *SUD or Surface-Syntactic Universal Dependencies*.
    """
    return _Writer().sentence(sentence)


class _Writer:
    """The words written so far, in order, and the position of each word's head."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.heads: list[int] = []
        self.nouns: list[tuple[int, bool]] = []  # each noun's position, and whether plural

    def write(self, word: str, head: int = -1) -> int:
        self.words.append(word)
        self.heads.append(head)
        return len(self.words) - 1

    def sentence(self, tree: Sentence) -> Agreement:
        told = -1
        if tree.told:
            teller = self.noun(tree.told[0])
            told = self.heads[teller] = self.write(tree.told[1])
        subject = self.noun(tree.subject)
        verb = self.heads[subject] = self.verb(tree.verb, tree.subject.plural, told)
        asked = tree.verb
        if tree.also:
            link = self.write("and")
            first, asked = verb, tree.also
            verb = self.heads[link] = self.verb(tree.also, tree.subject.plural, first)
        forms = (asked.singular, asked.plural)
        plural = tree.subject.plural
        between = [number for place, number in self.nouns if subject < place < verb]
        return Agreement(
            words=tuple(self.words),
            verb=verb,
            right=forms[plural],
            wrong=forms[not plural],
            attractors=sum(number != plural for number in between),
            distance=verb - subject,
            heads=tuple(self.heads),
            condition=tree.condition,
        )

    def noun(self, tree: Noun, head: int = -1) -> int:
        before = [w for w in (tree.determiner, *tree.adjectives, tree.compound) if w]
        place = len(self.words) + len(before)
        for word in before:
            self.write(word, place)
        self.write(tree.plural_form if tree.plural else tree.singular, head)
        self.nouns.append((place, tree.plural))
        for modifier in tree.modifiers:
            if isinstance(modifier, Relative):
                self.relative(modifier, place, tree.plural)
            else:
                self.dependent(modifier, place)
        return place

    def relative(self, tree: Relative, noun: int, plural: bool) -> None:
        """A clause that modifies the noun at this position, its subject if it has no other."""
        pronoun = self.write(tree.pronoun) if tree.pronoun else None
        if tree.subject is None:
            verb = self.verb(tree.verb, plural, noun)
        else:
            subject = self.noun(tree.subject)
            verb = self.heads[subject] = self.verb(tree.verb, tree.subject.plural, noun)
        if pronoun is not None:
            self.heads[pronoun] = verb

    def verb(self, tree: Verb, plural: bool, head: int) -> int:
        place = self.write(tree.plural if plural else tree.singular, head)
        for dependent in tree.after:
            self.dependent(dependent, place)
        return place

    def dependent(self, tree: Noun | Word | Preposition, head: int) -> None:
        if isinstance(tree, Noun):
            self.noun(tree, head)
        elif isinstance(tree, Preposition):
            for word in tree.text.split():
                head = self.write(word, head)
            self.noun(tree.noun, head)
        else:
            place = len(self.words) + len(tree.before)
            for word in tree.before:
                self.write(word, place)
            self.write(tree.text, head)
            for dependent in tree.after:
                self.dependent(dependent, place)
