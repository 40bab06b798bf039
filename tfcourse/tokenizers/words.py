"""A token for each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import regex

from tfcourse.tokenizers.base import ROLES, Tokenizer, check_special, check_texts, most_frequent
from tfcourse.tokenizers.file_format import TokenizerFile

#: How text is split into words, by its name in Hugging Face's ``tokenizers``.
SPLITS = {
    "WhitespaceSplit": regex.compile(r"\S+"),
    "Whitespace": regex.compile(r"\w+|[^\w\s]+"),
}


class WordTokenizer(Tokenizer):
    """A token for each word that the texts contain.

    Words are separated by white space; with ``punctuation`` each run of punctuation is a word of
    its own. Decoding puts one space between words, so with ``punctuation`` the decoded text may
    have more spaces than the original. With ``lower``, texts are lowercased first.

    Ids follow the special tokens, the most frequent word first.

    Notes
    -----
    224N section 1.1. ``punctuation`` is Hugging Face's ``Whitespace``, without it
    ``WhitespaceSplit``.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        special: Sequence[str] = (),
        *,
        punctuation: bool = False,
        lower: bool = False,
    ) -> None:
        super().__init__(tokens, special)
        self.punctuation = punctuation
        self.lower = lower

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int | None = None,
        *,
        special: Sequence[str] = tuple(ROLES.values()),
        at_least: int = 1,
        punctuation: bool = False,
        lower: bool = False,
    ) -> Self:
        """Use the words of the texts.

        Arguments and errors are those of :meth:`~tfcourse.tokenizers.CharTokenizer.train`. A word
        of a text that is spelt like a special token counts as unknown.
        """
        special = check_special(special)
        counts: Counter[str] = Counter()
        for text in check_texts(texts):
            counts.update(split(text, punctuation, lower))
        for token in special:
            del counts[token]
        kept = most_frequent(counts, special, vocab_size, at_least)
        return cls((*special, *kept), special, punctuation=punctuation, lower=lower)

    def _encode(self, text: str) -> list[int]:
        ids = []
        for word in split(text, self.punctuation, self.lower):
            i = self._ids.get(word)
            if i is None or i in self._special_ids:
                i = self.unknown
            if i is None:
                raise ValueError(
                    "text must consist of words seen in training, "
                    f"got {word!r}, and there is no <unk> to replace it"
                )
            ids.append(i)
        return ids

    def _settled(self, text: str) -> list[str]:
        # Another letter may extend the last word; splitting does not depend on case.
        starts = [word.start() for word in SPLITS[_name(self.punctuation)].finditer(text)]
        return [text[: starts[-1]]] if starts else []

    def _join(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)

    def _document(self) -> dict[str, Any]:
        return {
            "normalizer": {"type": "Lowercase"} if self.lower else None,
            "pre_tokenizer": {"type": _name(self.punctuation)},
            "decoder": None,
            "model": {"type": "WordLevel", "vocab": self._ids, "unk_token": ROLES["unknown"]},
        }

    @classmethod
    def _from_document(cls, document: TokenizerFile) -> Self | None:
        name, case = document.kind("pre_tokenizer"), document.kind("normalizer")
        ours = document.kind("model") == "WordLevel" and name in SPLITS
        if not ours or case not in (None, "Lowercase"):
            return None
        document.must_stand_alone()
        document.must_be("model", unk_token=(ROLES["unknown"],))
        document.must_be("decoder", type=(None,))
        return cls(
            *document.vocabulary(), punctuation=name == _name(True), lower=case == "Lowercase"
        )


def split(text: str, punctuation: bool = False, lower: bool = False) -> list[str]:
    """The words of a text."""
    if lower:
        # A final sigma is treated like any other, as in Hugging Face: `lower` alone would not.
        text = text.replace("Σ", "σ").lower()
    return SPLITS[_name(punctuation)].findall(text)


def _name(punctuation: bool) -> str:
    return "Whitespace" if punctuation else "WhitespaceSplit"
