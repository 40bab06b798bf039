"""The shipped corpora rebuilt from the installed packages: the same sentences and images."""

import numpy as np
import pytest

from benchmarks.corpora import licences, parting, reading
from tfcourse.data import digits, docstrings

pytestmark = pytest.mark.release("remaking of a corpus")


def test_the_sentences_are_those_of_the_installed_packages():
    made = parting.parted()
    assert made == docstrings.parted()
    assert docstrings.unpacked(parting.packed(made)) == made


def test_the_digits_are_those_of_scikit_learn():
    from sklearn.datasets import load_digits

    known = load_digits()
    with np.load(digits.PATH) as file:
        assert file["pixels"].dtype == file["labels"].dtype == np.uint8
        assert np.array_equal(file["pixels"], known.images)
        assert np.array_equal(file["labels"], known.target)


def test_each_package_is_credited_with_its_own_notice(course):
    said = (course / licences.NAME).read_text("utf-8")
    assert said == licences.text()
    for name, version in docstrings.MADE_FROM.items():
        assert f"\n{name} {version}\n" in said
    for package in docstrings.PACKAGES:
        assert "opyright" in licences.notice(package) and "bundle" not in licences.notice(package)
        assert reading.version(package) in said
