"""Translations compared with references: BLEU and chrF, by sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Score:
    """A score between 0 and 100, and everything needed to reproduce it.

    Attributes
    ----------
    signature:
        sacrebleu's: the number of references, the tokenisation, the version. Scores with different
        signatures cannot be compared.
    """

    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.signature})"


def bleu(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> Score:
    r"""Corpus BLEU: how many n-grams of the translations occur in the references.

    .. math:: \operatorname{BLEU} = 100 \, \min(1, e^{1 - r/c}) \,
              \Big(\prod_{n=1}^4 p_n\Big)^{1/4}

    with :math:`p_n` the fraction of the translations' n-grams that occur in a reference, :math:`c`
    and :math:`r` the lengths of translations and references.

    Pass untokenised translations, unless ``tokenize="none"``, which takes words as they are;
    ``"13a"`` is the tokenisation of WMT. Each has one reference, or equally many; otherwise
    ``ValueError`` is raised. With ``lowercase``, case is ignored.

    Notes
    -----
    Papineni et al. 2002; Post 2018, "A Call for Clarity in Reporting BLEU Scores".
    """
    from sacrebleu.metrics import BLEU

    if tokenize not in BLEU.TOKENIZERS:
        raise ValueError(f"tokenize must be one of {sorted(BLEU.TOKENIZERS)}, got {tokenize!r}")
    # force only suppresses the warning about tokenised text.
    return _score(BLEU(lowercase=lowercase, tokenize=tokenize, force=True), hypotheses, references)


def chrf(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    *,
    words: int = 0,
    lowercase: bool = False,
) -> Score:
    r"""Corpus chrF: how many character n-grams agree, in precision and recall.

    .. math:: \operatorname{chrF} = 100 \, \frac{(1 + \beta^2) P R}{\beta^2 P + R}, \qquad
              \beta = 2

    with precision :math:`P` and recall :math:`R` of n-grams of up to 6 characters, and of up to
    ``words`` words too; 2 is chrF++. Otherwise as in :func:`bleu`.

    Notes
    -----
    Popović 2015.
    """
    from sacrebleu.metrics import CHRF

    if words < 0:
        raise ValueError(f"words must be at least 0, got {words}")
    return _score(CHRF(word_order=words, lowercase=lowercase), hypotheses, references)


def check_texts(**texts: Sequence[str]) -> None:
    """Raise ``ValueError`` for lists that are empty, of different lengths, or not of texts."""
    for name, several in texts.items():
        if isinstance(several, str):
            raise ValueError(f"{name} must be several texts, got one str: put it into a list")
        if not len(several):
            raise ValueError(f"{name} must have at least one text, got none")
        for i, text in enumerate(several):
            if not isinstance(text, str):
                raise ValueError(f"{name} must be texts, got {type(text).__name__} at index {i}")
    (one, a), *others = texts.items()
    for other, b in others:
        if len(a) != len(b):
            raise ValueError(f"{other} must be {len(a)}, one for each of {one}, got {len(b)}")


def _score(metric: Any, hypotheses: Sequence[str], references: Sequence[Any]) -> Score:
    """A corpus score; sacrebleu wants the first references, then the second ones, and so on."""
    if isinstance(references, str) or all(isinstance(r, str) for r in references):
        streams = [references]
    else:
        if any(isinstance(r, str) for r in references):
            raise ValueError("references must be all texts, or all lists of texts, got both")
        numbers = {len(r) for r in references}
        if len(numbers) > 1 or 0 in numbers:
            raise ValueError(
                "references must be equally many for each translation, at least 1, "
                f"got {min(numbers)} to {max(numbers)}"
            )
        streams = list(zip(*references, strict=True))
    for stream in streams:
        check_texts(hypotheses=hypotheses, references=stream)
    value = metric.corpus_score(list(hypotheses), [list(stream) for stream in streams]).score
    return Score(value, metric.get_signature().format())
