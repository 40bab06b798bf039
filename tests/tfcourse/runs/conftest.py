"""A small corpus of running text, and presets small enough for a test."""

import pytest
from small_presets import LINES, SMALL

from tfcourse import data, presets
from tfcourse.data import corpus


@pytest.fixture(autouse=True)
def tiny_text():
    """A corpus of that name, for the time of a test."""
    card = data.Card(
        name="tiny-text", title="Tiny text", what="A line.", kind="embedded",
        task="language modelling", splits={"train": None, "validation": None},
    )  # fmt: skip
    data.register(data.Loader(card, lambda split: LINES if split == "train" else LINES[:9]))
    yield
    del corpus._LOADERS["tiny-text"]


@pytest.fixture
def small():
    """A preset that comes with the package, made small; further changes by key."""

    def load(name, **changes):
        return presets.load(name, SMALL[name] | changes)

    return load


@pytest.fixture
def flags():
    """The same changes for the command line."""

    def listed(name):
        found = []
        for key, value in SMALL[name].items():
            found += ["--set", f"{key}={value!r}".replace("'", '"')]
        return found

    return listed
