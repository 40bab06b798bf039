"""Look-ups answered independently, senses and their templates."""

import collections

import pytest

from tfcourse import data
from tfcourse.data.grammars.opinions import OPINIONS
from tfcourse.data.grammars.senses import LABELS, NEW_TEMPLATES, SLOTS, TEMPLATES, sense_pairs

SPLITS = ("train", "validation", "test")


@pytest.mark.parametrize("options", [{}, {"pairs": 4, "gap": (0, 30)}, {"gap": 0}])
def test_recall_asks_for_what_was_said(options):
    corpora = [data.load("recall", s, examples=400, held_out=40, **options) for s in SPLITS]
    seen = [{e.tokens for e in corpus} for corpus in corpora]
    assert not seen[0] & seen[1] and not seen[0] & seen[2] and not seen[1] & seen[2]
    for example in (e for corpus in corpora for e in corpus):
        key = example.tokens[-1].removeprefix("?")
        assert example.tokens.count(key) == 1
        place = example.tokens.index(key) + 1
        assert example.places == (place,) and example.tokens[place] == example.answer
        if "pairs" not in options:
            assert len(example.tokens[place + 1 : -1]) == options.get("gap", 20)


def test_recall_cannot_be_guessed():
    corpus = data.load("recall", "train")
    counts = collections.Counter(e.answer for e in corpus)
    assert len(counts) == 10 and max(counts.values()) < 0.12 * len(corpus)


def test_two_lookups_answer_in_the_order_of_the_question():
    corpora = [data.load("two-lookups", split) for split in SPLITS]
    seen = [{e.tokens for e in corpus} for corpus in corpora]
    assert not seen[0] & seen[1] and not seen[0] & seen[2] and not seen[1] & seen[2]
    for example in corpora[2]:
        held = {token[0]: token[1] for token in example.tokens[:-1]}
        assert len(held) == 6
        _, first, second = example.tokens[-1]
        assert first != second and example.answer == held[first] + held[second]
        assert [example.tokens[p][0] for p in example.places] == [first, second]
    counts = collections.Counter(e.answer for e in corpora[0])
    assert len(counts) == 36 and max(counts.values()) < 2 * min(counts.values())


def judgement(sentence: str) -> int | None:
    """What a sentence of *opinions* says of the film: read anew, from its words alone."""
    words = sentence.split()
    found = [label for word in words for label in (0, 1) if word in OPINIONS[label]]
    if not found or {"meets", "looking", "leaves"} & set(words):
        return None  # no opinion, or one about somebody in the film
    assert len(set(found)) == 1
    return 1 - found[0] if {"not", "nothing", "never"} & set(words) else found[0]


def test_a_review_means_what_its_label_says_and_a_bag_of_words_cannot_know():
    corpora = [data.load("opinions", split) for split in SPLITS]
    seen = [{e.text for e in corpus} for corpus in corpora]
    assert not seen[0] & seen[1] and not seen[0] & seen[2] and not seen[1] & seen[2]
    for corpus in corpora:
        assert sum(e.label for e in corpus) * 2 == len(corpus)
        for example in corpus:
            said = [judgement(sentence) for sentence in example.sentences]
            judged = [label for label in said if label is not None]
            assert 1 <= len(judged) <= 2 and set(judged) == {example.label}
            assert 2 <= len(said) <= 5
    misled = 0
    for example in corpora[2]:
        words = example.text.split()
        balance = sum((w in OPINIONS[1]) - (w in OPINIONS[0]) for w in words)
        misled += (balance > 0) != example.label
    assert misled > len(corpora[2]) / 5


@pytest.fixture(scope="module")
def senses():
    return {split: data.load("senses", split) for split in data.info("senses").splits}


def matches(words, template):
    parts = template.split()
    return len(parts) == len(words) and all(
        word in SLOTS[part[1:-1]] if part.startswith("{") else word == part
        for word, part in zip(words, parts, strict=True)
    )


def test_every_sentence_has_note_once_in_the_sense_of_its_template(senses):
    for split, corpus in senses.items():
        assert corpus.labels == LABELS
        counts = collections.Counter(e.label for e in corpus)
        assert len(set(counts.values())) == 1 and len(counts) == 3
        for example in corpus[:300]:
            assert example.words.count("note") == 1 and example.words[example.place] == "note"
            fitting = {
                (label, i >= len(TEMPLATES[label]) - NEW_TEMPLATES)
                for label in LABELS
                for i, template in enumerate(TEMPLATES[label])
                if matches(example.words, template)
            }
            assert fitting == {(LABELS[example.label], split == "test-templates")}


def test_senses_are_apart_by_split(senses):
    sentences = [e.words for corpus in senses.values() for e in corpus]
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize(
    "sentence, sense",
    [
        ("she left a brief note on the kitchen table reminding him to pick up groceries", 0),
        ("she plucked the guitar strings ending with a melancholic note", 1),
        ("the diplomat 's speech struck a positive note in the peace negotiations", 2),
    ],
)
def test_the_lectures_three_sentences_can_be_said(sentence, sense):
    assert any(matches(sentence.split(), template) for template in TEMPLATES[LABELS[sense]])


def test_no_word_beside_note_gives_the_sense_away(senses):
    """Many words next to it occur in two senses or three."""
    beside = collections.defaultdict(set)
    for example in senses["train"]:
        beside[example.words[example.place - 1]].add(example.label)
    shared = sum(len(beside[e.words[e.place - 1]]) == 3 for e in senses["test"])
    assert shared > 0.4 * len(senses["test"])


def test_pairs_of_senses(senses):
    corpus = senses["test"]
    pairs = sense_pairs(corpus, 200)
    assert pairs == sense_pairs(corpus, 200) != sense_pairs(corpus, 200, seed=1)
    assert sum(same for _, _, same in pairs) == 100
    for a, b, same in pairs:
        assert a != b and (corpus[a].label == corpus[b].label) == same
    with pytest.raises(ValueError, match="two sentences of each of two senses, got {'"):
        sense_pairs(corpus[:1], 4)
