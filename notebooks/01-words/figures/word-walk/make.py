"""Count the word vectors of the figure *word walk*, and write them to ``vectors.json``.

Pairs of words of Wikipedia (*WikiText-2*) and of film reviews become positive pointwise mutual
information, and a truncated singular value decomposition turns it into vectors, as in
``measure/word_vectors.py``. The file holds the most frequent words, in the directions in which they
differ most, rounded; the figure and lesson 01 compute with these numbers. It also says how many of
the analogies that the measurement asks are right. About two minutes on one thread::

    python notebooks/01-words/figures/word-walk/make.py
    python -m coursebook.live            # then draw the still pictures again
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from coursebook import course, live
from tfcourse import data

sys.path.insert(0, str(course.Lesson(course.root(), "01-words").measure))
import word_vectors  # noqa: E402

#: Rarer words are left out of the counts; the figure has the most frequent ones.
MIN_COUNT, WORDS, WIDTH, KEPT = 8, 3000, 100, 50
#: word2vec's own: the farthest neighbour, and the frequency above which words count less. Where it
#: draws which words and how far a window reaches, pairs are weighted by the probability here.
REACH, OFTEN = 5, 1e-4
#: What is left of *isn't* and *they've* when only letters count.
SCRAPS = re.compile("(is|are|was|were|does|did|do|has|have|had|would|could|should|ai)n|ve|ll|re")


def texts() -> Iterator[list[str]]:
    """The words of each line or review: letters only, in lower case."""
    lines = [
        *data.load("wikitext-2", "train"),
        *(one.text for name in ("movie-reviews", "sentence-polarity")
          for one in data.load(name, "all")),
    ]  # fmt: skip
    for line in lines:
        found = re.findall(r"[a-z]+", line.lower().replace("<unk>", " "))
        if len(found) > 2:
            yield [w for w in found if (len(w) > 1 or w in "ai") and not SCRAPS.fullmatch(w)]


def counted() -> tuple[list[str], Tensor]:
    """The words, the most frequent first, and their vectors ``(V, WIDTH)``."""
    read = list(texts())
    counts = Counter(word for words in read for word in words)
    names = [word for word, count in counts.most_common() if count >= MIN_COUNT]
    place = {word: i for i, word in enumerate(names)}
    share = np.array([counts[word] for word in names]) / counts.total()
    kept = np.minimum(1, np.sqrt(OFTEN / share))
    line = np.concatenate(
        [[place.get(word, -1) for word in words] + [-1] * REACH for words in read]
    )  # no pair across lines
    keys, weights = [], []
    for distance in range(1, REACH + 1):
        for centre, context in ((line[:-distance], line[distance:]),
                                (line[distance:], line[:-distance])):  # fmt: skip
            seen = (centre >= 0) & (context >= 0)
            centre, context = centre[seen], context[seen]
            keys.append(centre * len(names) + context)
            weights.append(kept[centre] * kept[context] * (1 + REACH - distance) / REACH)
    print(f"{counts.total():,} words of text, {len(names):,} in the vocabulary", flush=True)
    pairs, weight = np.concatenate(keys), np.concatenate(weights)
    return names, word_vectors.ppmi_svd(pairs, len(names), WIDTH, weight)


def chosen(names: list[str]) -> list[int]:
    """The most frequent words, and the couples of the measurement that the text knows."""
    listed = (*word_vectors.COUPLES.values(), word_vectors.OPPOSITES)
    named = {w for one in listed for couple in word_vectors.couples(one) for w in couple}
    known = [i for i, word in enumerate(names) if word in named]
    return sorted({*known, *[i for i in range(len(names)) if i not in known][: WORDS - len(known)]})


def main() -> None:
    torch.set_num_threads(1)
    names, table = counted()
    rows = chosen(names)
    unit = F.normalize(table[rows], dim=1)
    _, _, axes = torch.linalg.svd(unit, full_matrices=False)
    unit = F.normalize(unit @ axes[:KEPT].T, dim=1)
    whole = (unit / unit.abs().max() * 127).round().int()
    words = [names[i] for i in rows]
    place = {word: i for i, word in enumerate(words)}
    asked = {}
    for relation, listed in word_vectors.COUPLES.items():
        couples = [c for c in word_vectors.couples(listed) if {*c} <= place.keys()]
        pairs = [(place[a], place[b]) for a, b in couples]
        found = word_vectors.analogies(whole.double(), pairs)
        asked[relation] = {"asked": found["asked"], "right": found["by arithmetic"]}
        print(f"{relation}: {found}")
    live.store("vectors", {
        "about": "Vectors counted by word-walk/make.py from WikiText-2 (CC BY-SA 3.0) and two sets "
                 "of film reviews by Pang and Lee (CC BY 4.0)",
        "words": words, "vectors": whole.tolist(), "analogies": asked,
    })  # fmt: skip


if __name__ == "__main__":
    main()
