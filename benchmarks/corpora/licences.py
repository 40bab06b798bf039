"""``LICENSE-corpora``: the sources of the shipped corpora, and their terms."""

from __future__ import annotations

import textwrap

from benchmarks.corpora import reading
from tfcourse.data.docstrings import MADE_FROM, PACKAGES

NAME = "LICENSE-corpora"

_FILES = ("LICENSE", "LICENSE.txt", "COPYING")

_HEAD = """\
The corpora in tfcourse/data/shipped, and others that the lessons quote

This file is written by: python -m benchmarks.corpora

prose.txt.xz (the corpora "prose" and "documents") holds sentences from the docstrings of the Python
packages {packages}.
Sentences were selected, stripped of markup and sorted into three parts; their words are unchanged.
Each package's copyright notice and licence follow. They are about the package's own code and
documentation: no file that a package includes from another project was read.

digits.npz (the corpus "digits") holds the test part of "Optical Recognition of Handwritten Digits"
by E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository,
https://archive.ics.uci.edu/dataset/80, as scikit-learn distributes it. It is licensed under the
Creative Commons Attribution 4.0 International License (CC BY 4.0), whose text is in LICENSE-text.
Only the format of the file was changed.

The record mnist-mistakes of lesson 12 (notebooks/12-vision/records/mnist-mistakes.json) holds eight
test digits of MNIST by Y. LeCun, C. Cortes and C. J. C. Burges, http://yann.lecun.com/exdb/mnist/,
which is licensed under the Creative Commons Attribution-ShareAlike 3.0 licence (CC BY-SA 3.0),
https://creativecommons.org/licenses/by-sa/3.0/. The pixels are unchanged, and under that licence.

The translator of lesson 11 (notebooks/11-encoder-decoder/figures/captions/captions.json) and the
first decoder of the page Explore (book/figures/map/map.json) were trained on Multi30k by
D. Elliott, S. Frank, K. Sima'an and L. Specia (2016), https://github.com/multi30k/dataset. These
files hold the models' weights and pieces of words, and the first also the first ten captions of
the test of 2016 in German and English, quoted to show what the model does. The corpus itself is
not included. It names no licence for its captions; of the photographs
that they describe it says that they are provided for non-commercial research and education.
Whoever uses the model or the captions for anything else should ask the authors of the corpus.
"""


def text() -> str:
    """The file's text, from the licences of the packages that are installed.

    Raises
    ------
    ModuleNotFoundError
        If one of the packages is not installed.
    """
    packages = ", ".join(f"{name} {version}" for name, version in MADE_FROM.items())
    parts = [_HEAD.format(packages=textwrap.fill(packages, 96))]
    for package in PACKAGES:
        title = f"{reading.DISTRIBUTIONS.get(package, package)} {reading.version(package)}"
        parts.append(f"{'=' * 72}\n{title}\n{'=' * 72}\n\n{notice(package)}\n")
    return "\n".join(parts)


def notice(package: str) -> str:
    """A package's own copyright notice and licence, without those of code that it includes."""
    files = {
        name: file
        for file in reading.installed(package).files or ()
        if (name := file.name) in _FILES and ".dist-info" in file.parts[0] and _at_top(file.parts)
    }
    (file,) = files.values()
    # Below a line of four dashes a wheel's licences are those of the libraries inside it.
    own, _, _ = file.read_text("utf-8").partition("\n----\n")
    return "\n".join(line.rstrip() for line in own.strip().splitlines())


def _at_top(parts: tuple[str, ...]) -> bool:
    """Whether a licence is the package's: in its folder of metadata, or in ``licenses`` there."""
    return parts[1:-1] in ((), ("licenses",))
