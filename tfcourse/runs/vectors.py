"""Word vectors: skip-gram with negative sampling on a running text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tfcourse import data
from tfcourse.evaluation import spearman
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora, tokenizer
from tfcourse.tokenizers import Tokenizer


class Pairs:
    r"""Pairs of words and their neighbours, drawn again in each pass over the text.

    A frequent word is dropped with probability :math:`1 - \sqrt{t / f}`, ``f`` being its frequency
    in the text; for each remaining word, 1 to ``around`` neighbours on either side are taken within
    its line; negatives are drawn in proportion to their counts to the power 3/4.

    Parameters
    ----------
    lines, size:
        The text, as the ids of each line, and the number of pairs in a batch.
    around, subsample, negatives:
        The maximum window, the threshold t, and the number of negatives per pair.
    seed:
        The seed of each pass, together with its number.

    Notes
    -----
    Mikolov et al. 2013b, sections 2.2 and 2.3; the window's width: Mikolov et al. 2013a, section
    3.2.
    """

    def __init__(
        self, lines: list[list[int]], vocab_size: int, size: int, *, around: int = 5,
        subsample: float = 1e-3, negatives: int = 5, seed: int = 0,
    ) -> None:  # fmt: skip
        self.words = np.fromiter((w for line in lines for w in line), np.int32)
        self.line = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
        self.size, self.around, self.negatives, self.seed = size, around, negatives, seed
        counts = np.bincount(self.words, minlength=vocab_size)
        with np.errstate(divide="ignore"):
            kept = np.sqrt(subsample * len(self.words) / counts)
        self.kept = np.minimum(kept, 1.0)
        self.noise = np.cumsum(counts**0.75)
        self.noise /= self.noise[-1]
        self.epoch = self.position = self._first = 0

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
        first, self._first = self._first, 0
        epoch = self.epoch
        centre, context = self._drawn(epoch)
        for start in range(first * self.size, len(centre) - self.size + 1, self.size):
            self.position = start // self.size + 1
            # A generator for each batch, so that a run can resume at any of them.
            random = np.random.default_rng((self.seed, epoch, self.position))
            part = slice(start, start + self.size)
            draws = random.random((self.size, self.negatives), dtype=np.float32)
            negatives = np.searchsorted(self.noise, draws).clip(max=len(self.noise) - 1)
            yield _ids(centre[part]), _ids(context[part]), _ids(negatives)
        self.epoch, self.position = epoch + 1, 0

    def _drawn(self, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of a pass, in random order."""
        random = np.random.default_rng((self.seed, epoch))
        stays = random.random(len(self.words)) < self.kept[self.words]
        words, line = self.words[stays], self.line[stays]
        reach = random.integers(1, self.around + 1, len(words))
        centres, contexts = [], []
        for distance in range(1, self.around + 1):
            together = line[distance:] == line[:-distance]
            left, right = words[:-distance], words[distance:]
            for one, other, wide in (
                (left, right, reach[:-distance]), (right, left, reach[distance:])
            ):  # fmt: skip
                taken = together & (wide >= distance)
                centres.append(one[taken])
                contexts.append(other[taken])
        centre, context = np.concatenate(centres), np.concatenate(contexts)
        order = random.permutation(len(centre))
        return centre[order], context[order]

    def state_dict(self) -> dict[str, int]:
        """The position of the next batch."""
        return {"epoch": self.epoch, "position": self.position}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """Resume from a :meth:`state_dict`."""
        self.epoch, self.position = int(state["epoch"]), int(state["position"])
        self._first = self.position


def _ids(numbers: np.ndarray) -> Tensor:
    return torch.from_numpy(numbers.astype(np.int64))


def negative_sampling(model: Any, batch: Any) -> tuple[Tensor, int]:
    """The model's loss on a batch ``(centre, context, negatives)``, and its number of pairs."""
    return model.loss(*batch), len(batch[0])


def word_vectors(preset: Preset) -> Task:
    """The task of predicting the words around a word."""
    train, _, _ = corpora(preset)
    lines = [line for line in train if line.strip()]
    tokens = tokenizer(preset, lines)
    t = preset.training
    if tokens.unknown is not None:
        raise ValueError(
            f"tokenizer.special must be [] for word vectors: words that are not kept are left out, "
            f"got {list(tokens.special)}"
        )
    ids = [[tokens.id(word) for word in _words(line, preset) if word in tokens] for line in lines]
    model = preset.model.make(vocab_size=len(tokens))

    def judge(model: Any) -> dict[str, Any]:
        return {
            name: similarity(model.vectors().cpu(), tokens, name)
            for name in ("wordsim-353", "simlex-999")
            if "wordsim" in preset.evaluation.measures
        }

    return Task(
        model,
        Pairs(ids, len(tokens), t.batch, around=t.around, subsample=t.subsample,
              negatives=t.negatives, seed=t.seed),
        negative_sampling,
        None,
        judge,
        {"tokenizer": tokens},
        {"training words": sum(map(len, ids)), "vocabulary": len(tokens)},
    )  # fmt: skip


def similarity(vectors: Tensor, tokens: Tokenizer, name: str) -> dict[str, Any]:
    """Rank correlation of cosines with human ratings, over pairs whose words are both known.

    ``vectors``, ``(V, D)``, has a row for each of the ``tokens``; ``name`` is the corpus of
    ratings, ``"wordsim-353"`` or ``"simlex-999"``.
    """
    pairs = data.load(name, "test")
    known = [p for p in pairs if p.a.lower() in tokens and p.b.lower() in tokens]
    a, b = (vectors[[tokens.id(getattr(p, side).lower()) for p in known]] for side in ("a", "b"))
    found = spearman(F.cosine_similarity(a, b), [p.score for p in known])
    return {
        "Spearman": found.value,
        "Spearman, 95 % interval": [found.low, found.high],
        "pairs covered": found.n,
        "pairs": len(pairs),
    }


def _words(line: str, preset: Preset) -> list[str]:
    return (line.lower() if preset.tokenizer.lower else line).split()
