"""Prose from docstrings: only whole English sentences, and no test text in training."""

import collections
import re

import pytest

from benchmarks.corpora.cleaning import sentences
from benchmarks.corpora.parting import WINDOW, windows, words_of
from benchmarks.corpora.reading import docstrings
from tfcourse import data
from tfcourse.data.docstrings import PACKAGES, masked, parted

DOCSTRING = """Fit the model to the data and say how well it went.

This is the first paragraph, with ``alpha`` in it and a :class:`~some.Model` as well.
See Smith et al. for more on the matter. It has
`one link <https://example.org>`_ and a note [1]_ too.
Here is a call of ``model.fit(X, y)`` that no reader of prose wants to see.

.. versionadded:: 1.2
   This line is about the version and must not be there.

.. note::
   A note is prose and so it has to stay where it is.

.. math::
   This is a formula = of the kind that goes.

Parameters
----------
X : array of shape (n, d) that is a term and goes
    The samples that the model is to be fitted to.
alpha : float, default=1.0
    How much the weights are pulled towards zero, as a number.

Notes
-----
>>> model.fit(X, y)
This is the output of the example and has to go.

The code below is what we do with it::

    This is a comment in the code that must go too.

- The first item of the list is a sentence
  that goes on here.
- The second item of the list is another one.

Examples
--------
This is an example that nobody needs to read here.

References
----------
.. [1] Smith, The book of the model, in the year of the model.
"""


def test_a_docstring_becomes_sentences():
    assert sentences(DOCSTRING) == [
        "Fit the model to the data and say how well it went.",
        "This is the first paragraph, with alpha in it and a Model as well.",
        "See Smith et al. for more on the matter.",
        "It has one link and a note too.",
        "A note is prose and so it has to stay where it is.",
        "The samples that the model is to be fitted to.",
        "How much the weights are pulled towards zero, as a number.",
        "The first item of the list is a sentence that goes on here.",
        "The second item of the list is another one.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Returns x_new that is the next of the points in the list.",  # code
        "The SomeClassName is the base of all that is in here.",
        "This is cut off at the end of the",
        "Die Modelle werden mit den Daten trainiert und dann benutzt.",
        "Too short to be.",
        "The ratio a/b = c of the two is given by this.",
        "See https://example.org for more of what is in this.",
        "the first word of it is not written with a capital.",
        "Foo bar baz qux quux corge grault garply waldo.",
    ],
)
def test_what_is_no_prose_goes(text):
    assert sentences(text) == []


def test_google_style_terms_go():
    text = "Moves the state to the next step of it.\n\nArgs:\n    x: The input of the model.\n"
    assert sentences(text) == ["Moves the state to the next step of it."]


@pytest.fixture(scope="module")
def prose():
    return {split: data.load("prose", split) for split in data.info("prose").splits}


def test_there_is_enough_of_it(prose):
    words = {split: len(corpus.text.split()) for split, corpus in prose.items()}
    assert words["train"] > 400_000 and words["validation"] > 30_000 and words["test"] > 30_000


def test_nothing_is_left_of_the_markup(prose):
    for corpus in prose.values():
        for sentence in corpus:
            assert re.fullmatch("[A-Za-z0-9 ,;:.'\"()?!-]+", sentence), sentence
            assert sentence[-1] in ".?!\"')" and 5 <= len(sentence.split()) <= 50
            assert "  " not in sentence and "::" not in sentence


def test_no_sentence_stands_twice_and_none_of_the_test_in_training(prose):
    plain = {split: [" ".join(words_of(s)) for s in corpus] for split, corpus in prose.items()}
    everything = [s for split in plain.values() for s in split]
    assert len(set(everything)) == len(everything)
    trained = {run for s in plain["train"] for run in windows(s.split())}
    for split in ("validation", "test"):
        assert not any(run in trained for s in plain[split] for run in windows(s.split()))
    assert all(len(run) == WINDOW for run in trained)


def test_a_file_is_in_one_split():
    files = {split: {(d.package, d.file) for d in found} for split, found in parted().items()}
    assert not files["train"] & files["validation"] and not files["train"] & files["test"]
    assert not files["validation"] & files["test"]
    assert {package for package, _ in files["train"]} == set(PACKAGES)


def test_packages_can_be_chosen(prose):
    part = data.load("prose", "test", packages=("scipy",))
    assert 0 < len(part) < len(prose["test"]) and set(part) < set(prose["test"])


def test_documents_are_balanced_and_do_not_name_their_package():
    for split in ("train", "validation", "test"):
        corpus = data.load("documents", split)
        counts = collections.Counter(example.label for example in corpus)
        assert len(counts) == len(corpus.labels) == 6 and len(set(counts.values())) == 1
        for example in corpus:
            assert 3 <= len(example.sentences) <= 8
            assert not re.search(
                r"\b(numpy|np|scipy|sklearn|sympy|matplotlib|pyplot|axes|networkx|sqlalchemy|"
                r"torch)\b", example.text, re.IGNORECASE,
            )  # fmt: skip
    assert masked("Use NumPy and scikit-learn.") == "Use library and library."


def test_a_package_is_read_without_importing_it():
    found = list(docstrings("babel"))
    assert len(found) > 100 and {d.package for d in found} == {"babel"}
    with pytest.raises(ModuleNotFoundError, match="from not-there, which .*pip install"):
        list(docstrings("not-there"))
