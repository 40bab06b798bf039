"""Dates read back by rules written here; digits against scikit-learn's own."""

import datetime
import re

import numpy as np
import pytest
import torch

from tfcourse import data
from tfcourse.data.dates import FORMS, LOCALES, written


def words(text):
    return text.split()


ENGLISH = words(
    "January February March April May June July August September October November December"
)
GERMAN = words("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
DAYS = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")


def read_english(text):
    """March 7, 2019; Mar 7, 2019; Thursday, March 7, 2019."""
    found = re.fullmatch(r"(?:(\w+), )?([A-Z][a-z]+) (\d+), (\d{4})", text)
    (month,) = [i + 1 for i, name in enumerate(ENGLISH) if name.startswith(found[2])]
    date = datetime.date(int(found[4]), month, int(found[3]))
    assert found[1] in (None, DAYS[date.weekday()])
    return date


@pytest.fixture(scope="module")
def dates():
    return {split: data.load("dates", split) for split in data.info("dates").splits}


def test_sources_say_the_same_as_targets(dates):
    for corpus in dates.values():
        for pair in corpus:
            assert read_english(pair.source).isoformat() == pair.target


def test_test_dates_are_never_seen(dates):
    targets = [pair.target for corpus in dates.values() for pair in corpus]
    assert len(set(targets)) == len(targets)
    other = data.load("dates", "train", source="de", target="iso", examples=17_000)
    assert not {p.target for p in other} & {p.target for p in dates["test"]}


def test_german_dates():
    for pair in data.load("dates", "test", source="de", forms=("long",)):
        day, month, year = re.fullmatch(r"(\d+)\. (\w+) (\d{4})", pair.source).groups()
        date = datetime.date(int(year), GERMAN.index(month) + 1, int(day))
        assert date.isoformat() == pair.target


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_day_and_year(locale, form):
    text = written(datetime.date(2027, 11, 23), locale, form)
    assert "23" in text and "27" in text and not re.search("[\u00a0\u202f\u2009]", text)
    assert len({written(datetime.date(2027, m, 23), locale, form) for m in range(1, 13)}) == 12


def test_between_locales():
    pair = data.load("dates", "test", source="fr", target="de", forms=("full",), held_out=1)[0]
    assert re.fullmatch(r"\d+\. \w+ \d{4}", pair.target)
    assert pair.target.split()[-1] == pair.source.split()[-1]


def test_digits_are_those_of_scikit_learn_each_once():
    from sklearn.datasets import load_digits

    known = load_digits()
    parts = [data.load("digits", split).tensors() for split in ("train", "validation", "test")]
    pixels, labels = (torch.cat(part) for part in zip(*parts, strict=True))
    assert pixels.dtype == torch.uint8 and pixels.shape == (1797, 1, 8, 8)
    ours = sorted(zip(map(tuple, pixels.flatten(1).tolist()), labels.tolist(), strict=True))
    theirs = np.round(known.images * 255 / 16).astype(int).reshape(1797, -1)
    assert ours == sorted(zip(map(tuple, theirs.tolist()), known.target.tolist(), strict=True))
    for _, part in parts:
        even = labels.bincount() * len(part) / len(labels)
        assert (part.bincount(minlength=10) - even).abs().max() < 1.5
