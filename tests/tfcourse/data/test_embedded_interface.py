"""One interface: names, cards, splits, options; and a corpus that behaves like a tuple."""

import re
import subprocess
import sys

import pytest
import torch

from tfcourse import data
from tfcourse.data import Card, Corpus, Image, Images, Labelled, Loader, Pair, dates
from tfcourse.data.corpus import register
from tfcourse.data.docstrings import PACKAGES
from tfcourse.data.draw import Draw, share_of
from tfcourse.data.number_words import LANGUAGES

EMBEDDED = [name for name in data.names() if data.info(name).kind == "embedded"]


def test_all_embedded_corpora_are_there():
    assert EMBEDDED == [
        "agreement", "arrows", "dates", "digits", "documents", "number-words", "opinions", "prose",
        "recall", "senses", "two-lookups",
    ]  # fmt: skip


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_card_says_what_there_is_to_know(name):
    card = data.info(name)
    assert card.name == name and card.title and card.what.endswith(".") and card.task
    assert card.licence and card.size_bytes > 0
    assert {"train", "validation", "test"} <= set(card.splits) == set(card.sha256)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in card.sha256.values())
    assert all(count > 0 for count in card.splits.values())
    assert all(card.options.values())


@pytest.mark.parametrize(
    "name, option, allowed",
    [
        ("dates", "source", dates.LOCALES),
        ("dates", "forms", dates.FORMS),
        ("number-words", "source", LANGUAGES),
        ("prose", "packages", PACKAGES),
    ],
)
def test_a_card_lists_what_an_option_may_be(name, option, allowed):
    assert data.info(name).options[option].endswith(" " + ", ".join(allowed))


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda: data.load("prosa"), "name must be one of .*'prose'.*got 'prosa'"),
        (lambda: data.info("prosa"), "name must be one of .*got 'prosa'"),
        (lambda: data.load("dates", "dev"), "split of dates must be one of .*'validation'.*'dev'"),
        (lambda: data.load("dates", lang="de"), "lang is not an option of dates; .*'source'"),
        (lambda: data.load("digits", size=3), "size is not an option of digits; its .* none"),
        (lambda: data.load("dates", source="xx"), "source must be one of .*'de'.*got 'xx'"),
        (lambda: data.load("dates", forms="long"), "forms must be a tuple of some of .*'long'"),
        (lambda: data.load("dates", forms=()), "forms must be a tuple of some of"),
        (lambda: data.load("dates", examples=0), "examples must be a whole number, from 1 to"),
        (lambda: data.load("number-words", target="xx"), "target must be one of .*'fr'"),
        (lambda: data.load("number-words", largest=10), "largest must be a whole number"),
        (lambda: data.load("number-words", form="x"), "form must be one of .*'pieces'"),
        (lambda: data.load("agreement", attractors=(9,)), "attractors must be a tuple of some of"),
        (lambda: data.load("agreement", attractors=2), "attractors must be a tuple"),
        (lambda: data.load("recall", gap=(3, 1)), "gap must be a whole number from 0, or"),
        (lambda: data.load("recall", pairs=9), "pairs must be a whole number, from 1 to 8"),
        (lambda: data.load("two-lookups", items=9), "items must be a whole number, from 2 to 8"),
        (lambda: data.load("opinions", sentences=1), "sentences must be a whole number, from 2"),
        (lambda: data.load("senses", examples=-1), "examples must be a whole number"),
        (lambda: data.load("prose", packages=("os",)), "packages must be a tuple of some of"),
        (lambda: data.load("documents", least=9), "least must be a whole number, from 1 to 8"),
        (lambda: data.load("arrows", clutter=17), "clutter must be a whole number, from 0 to 16"),
        (lambda: data.load("arrows", examples=0), "examples must be a whole number, from 1 to"),
        (lambda: data.load("dates", seed=True), "seed must be a whole number, at least 0"),
    ],
)  # fmt: skip
def test_what_does_not_exist_is_named_beside_what_does(call, told):
    with pytest.raises(ValueError, match=told):
        call()


CARD = Card("tiny", "Tiny", "A pair.", "embedded", "none", {"train": None}, options={"n": "many"})


def test_a_corpus_is_a_sequence():
    corpus = Corpus(CARD, "train", [Pair("a", "b"), Pair("c", "d"), Pair("e", "f")], {"n": 3})
    assert len(corpus) == 3 and corpus[0].target == "b" and corpus[-1] == ("e", "f")
    part = corpus[1:]
    assert isinstance(part, Corpus) and list(part) == [("c", "d"), ("e", "f")]
    assert part.options == {"n": 3} and part.card is CARD
    assert repr(corpus) == "<Tiny: 3 examples, split='train', n=3>"
    assert corpus.sha256() != part.sha256() == corpus[1:].sha256()
    for asked in ("text", "labels"):
        with pytest.raises(ValueError, match="tiny .*: A pair."):
            getattr(corpus, asked)
    with pytest.raises(ValueError, match="tiny has no pictures"):
        corpus.tensors()


def test_lines_make_a_text():
    corpus = Corpus(CARD, "train", ["one", "", "two"])
    assert corpus.text == "one\n\ntwo"
    assert Corpus(CARD, "train", []).text == ""


def test_pictures_are_kept_together_and_come_singly():
    pixels = torch.arange(2 * 3 * 4).reshape(2, 1, 3, 4).to(torch.uint8)
    labels = torch.tensor([7, 1])
    together = Corpus(CARD, "train", Images(pixels, labels))
    singly = Corpus(CARD, "train", [Image(pixels[0], 7), Image(pixels[1], 1)])
    assert together.sha256() == singly.sha256()
    for corpus in (together, singly):
        assert torch.equal(corpus.tensors()[0], pixels) and torch.equal(corpus.tensors()[1], labels)
        assert corpus[1].label == 1 and torch.equal(corpus[-2].pixels, pixels[0])
        assert len(list(corpus)) == 2 and corpus[1:].tensors()[0].shape == (1, 1, 3, 4)
        with pytest.raises(IndexError):
            corpus[2]
    with pytest.raises(ValueError, match=r"pixels must be \(N, C, H, W\), got \(1, 3, 4\)"):
        Images(pixels[0], labels)
    with pytest.raises(ValueError, match=r"labels must be \(2,\)"):
        Images(pixels, labels[:1])
    with pytest.raises(ValueError, match=r"places must be \(2,\)"):
        Images(pixels, labels, labels[:1])
    assert together[1:].examples.places is None
    assert Images(pixels, labels, labels)[1:].places.tolist() == [1]


def test_a_loader_fits_its_card_and_a_name_is_taken_once():
    with pytest.raises(ValueError, match=r"options of 'tiny' must be .*\['m'\], got \['n'\]"):
        Loader(CARD, lambda split, *, m=1: [])
    with pytest.raises(ValueError, match="no corpus has yet, got 'digits'"):
        register(Loader(data.info("digits"), lambda split: []))
    with pytest.raises(ValueError, match="kind must be one of"):
        Card("x", "X", "x", "paper", "none", {"train": 1})
    with pytest.raises(ValueError, match="splits must name at least one"):
        Card("x", "X", "x", "real", "none", {})


def test_a_document_has_sentences():
    assert Labelled("One.\nTwo.", 0).sentences == ("One.", "Two.")


def test_chance_is_even_and_its_own():
    draw = Draw("a name")
    counts = torch.tensor([draw.below(4) for _ in range(8000)]).bincount(minlength=4)
    assert (counts - 2000).abs().max() < 200
    items = list(range(10))
    assert sorted(draw.shuffled(items)) == items == list(range(10))
    assert {draw.between(2, 4) for _ in range(100)} == {2, 3, 4}
    assert [Draw(1).below(100) for _ in "ab"] == [Draw(1).below(100) for _ in "ab"]
    split = [share_of(str(i), {"train": 8, "test": 2}) for i in range(2000)]
    assert 1500 < split.count("train") < 1700


def test_text_needs_no_torch():
    code = (
        "import sys; from tfcourse import data\n"
        "for name in ('dates', 'agreement', 'opinions', 'recall', 'senses', 'two-lookups'):\n"
        "    assert data.load(name, 'test', held_out=20).sha256()\n"
        "assert 'torch' not in sys.modules and 'numpy' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
