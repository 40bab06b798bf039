"""Sentences with the word *note* in three senses: a message, a tone, a mood.

One vector for the word cannot tell them apart; the words around it can.
"""

from __future__ import annotations

from tfcourse.data.corpus import Corpus
from tfcourse.data.draw import Draw
from tfcourse.data.embedded import embedded
from tfcourse.data.examples import Sense
from tfcourse.data.grammars.gathering import gather
from tfcourse.data.options import whole

SHARES = {"train": 3, "validation": 1, "test": 1}

WORD = "note"
LABELS = ("message", "tone", "mood")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Words for the places of the templates. Adjectives are shared between senses, so that the word
#: before *note* does not give it away.
SLOTS: dict[str, tuple[str, ...]] = {
    "she": _words("she he"),
    "who": _words("mother father teacher neighbour student doctor landlord nurse cousin"),
    "musician": _words("singer violinist pianist guitarist cellist trumpeter organist flautist"),
    "speaker": _words("diplomat minister chairman mayor senator speaker president bishop"),
    "any": _words("brief long short clear soft warm sad strange final"),
    "message_adj": _words("handwritten folded crumpled anonymous polite"),
    "tone_adj": _words("high low shrill sharp flat melancholic trembling"),
    "mood_adj": _words("positive hopeful gloomy optimistic bitter cheerful conciliatory"),
    "place": _words("table desk door fridge pillow windscreen doorstep shelf"),
    "room": _words("kitchen hall office classroom bedroom"),
    "goods": _words("groceries bread milk flowers medicine stamps"),
    "errand": _words("keys rent dinner shopping appointment parcel"),
    "instrument": _words("guitar violin piano cello trumpet organ flute harp"),
    "plucked": _words("guitar harp violin cello banjo lute"),
    "strings": _words("strings chords"),
    "piece": _words("song sonata hymn melody aria symphony prelude"),
    "event": _words("negotiations conference debate summit ceremony campaign hearing trial"),
    "talk": _words("speech address statement interview lecture report sermon"),
    "told": _words("reminding asking telling begging warning"),
    "wrote": _words("left wrote pinned folded hid found read signed"),
    "played": _words("played sang held missed hit repeated"),
}

#: Templates by sense; a word in braces is drawn from its slot. The last two of each are never in
#: training.
TEMPLATES: dict[str, tuple[str, ...]] = {
    "message": (
        "{she} left a {any} note on the {room} {place} {told} him to pick up {goods}",
        "{she} left a {message_adj} note on the {place} for the {who}",
        "the {who} {wrote} a {any} note about the {errand}",
        "the {who} {wrote} a {message_adj} note and put it on the {place}",
        "there was a {any} note on the {place} {told} us to pay the {errand}",
        "when the {who} came into the {room} a {any} note lay on the {place}",
        "a {message_adj} note from the {who} was stuck to the {place}",
        "the {musician} {wrote} a {any} note to the {who} about the {errand}",
        "the {speaker} {wrote} a {any} note and laid it on the {place}",
        "please put the {any} note for the {who} on the {room} {place}",
        "the {who} tore up the {any} note that lay on the {place}",
        "on the {place} in the {room} the {speaker} found a {any} note from the {who}",
    ),
    "tone": (
        "{she} plucked the {plucked} {strings} ending with a {tone_adj} note",
        "{she} plucked the {strings} of the {plucked} ending with a {any} note",
        "the {musician} {played} a {any} note at the end of the {piece}",
        "the {musician} {played} a {tone_adj} note on the {instrument}",
        "the {piece} ended on a {any} note of the {instrument}",
        "a {tone_adj} note came from the {instrument} in the {room}",
        "the first note of the {piece} was {tone_adj}",
        "the {who} heard a {any} note when the {musician} tuned the {instrument}",
        "the {speaker} could not sing the {any} note in the {piece}",
        "every {instrument} in the {room} {played} the same {any} note",
        "with the {instrument} out of tune the {any} note spoiled the {piece}",
        "the {instrument} held its {tone_adj} note while the {musician} sang the {piece}",
    ),
    "mood": (
        "the {speaker} 's {talk} struck a {mood_adj} note in the peace {event}",
        "the {speaker} struck a {any} note in the {event}",
        "the {event} ended on a {any} note after the {talk}",
        "the {event} ended on a {mood_adj} note",
        "the {speaker} closed the {talk} on a {any} note",
        "there was a {any} note of doubt in the {talk} of the {speaker}",
        "a {mood_adj} note ran through the {talk} of the {speaker}",
        "the {who} opened the {talk} on a {mood_adj} note",
        "on a {any} note the {speaker} thanked the {who} for the {event}",
        "the {event} began on a {any} note when the {musician} praised the {speaker}",
        "after the {event} the {talk} of the {who} had a {any} note of hope",
        "the {speaker} brought a {mood_adj} note into the {event} with the {talk}",
    ),
}

#: So many templates of each sense are kept for ``test-templates``.
NEW_TEMPLATES = 2


@embedded("senses", labels=LABELS)
def _make(split: str, *, examples: int = 6_000, held_out: int = 600, seed: int = 0) -> list[Sense]:
    whole(1, 20_000, examples=examples)
    whole(1, 2_000, held_out=held_out)
    whole(0, seed=seed)
    draw = Draw(f"senses {split} {seed}")
    new = split == "test-templates"

    def example(have: int) -> Sense:
        label = have % len(LABELS)  # in turn, so that the senses are as frequent
        templates = TEMPLATES[LABELS[label]]
        known = len(templates) - NEW_TEMPLATES
        words = _filled(draw, draw.pick(templates[known:] if new else templates[:known]))
        return Sense(words, words.index(WORD), label)

    found = gather(
        "examples" if split == "train" else "held_out",
        examples if split == "train" else held_out,
        example,
        lambda one: one.words,
        SHARES,
        "test" if new else split,
    )
    return draw.shuffled(found)


def _filled(draw: Draw, template: str) -> tuple[str, ...]:
    """A template with a word in each of its places."""
    return tuple(
        draw.pick(SLOTS[word[1:-1]]) if word.startswith("{") else word for word in template.split()
    )


def sense_pairs(corpus: Corpus[Sense], count: int, seed: int = 0) -> list[tuple[int, int, bool]]:
    """``count`` pairs of sentences, half of them with the word in the same sense.

    Each is two places in the corpus, a split of ``senses``, and whether the sense is the same.

    Raises
    ------
    ValueError
        If a sense has fewer than two sentences, or there is only one sense.
    """
    whole(1, count=count)
    draw = Draw(f"pairs of senses {seed}")
    by_label: dict[int, list[int]] = {}
    for place, example in enumerate(corpus):
        by_label.setdefault(example.label, []).append(place)
    if len(by_label) < 2 or min(map(len, by_label.values())) < 2:
        raise ValueError(
            "corpus must have two sentences of each of two senses, got "
            f"{ {LABELS[label]: len(places) for label, places in sorted(by_label.items())} }"
        )
    labels = sorted(by_label)
    pairs = []
    for i in range(count):
        if i % 2:
            a, b = draw.some(by_label[draw.pick(labels)], 2)
        else:
            a, b = (draw.pick(by_label[label]) for label in draw.some(labels, 2))
        pairs.append((a, b, bool(i % 2)))
    return draw.shuffled(pairs)
