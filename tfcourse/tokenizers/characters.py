"""A token for each character."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

from tfcourse.tokenizers.base import ROLES, Tokenizer, check_special, check_texts, most_frequent
from tfcourse.tokenizers.file_format import TokenizerFile

#: Any single character, including a newline, as a regular expression of Hugging Face.
ANY = r"[\s\S]"


class CharTokenizer(Tokenizer):
    """A token for each character (Unicode code point) that the texts contain.

    Ids follow the special tokens in the order of code points. Without special tokens that is
    the numbering of nanoGPT's Shakespeare.

    Notes
    -----
    Karpathy 2015.
    """

    def __init__(self, tokens: Sequence[str], special: Sequence[str] = ()) -> None:
        super().__init__(tokens, special)
        for token in self.tokens:
            if (len(token) == 1) == (token in self.special):
                raise ValueError(
                    "tokens must have one character each, and special ones more than one, "
                    f"got {token!r}"
                )

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int | None = None,
        *,
        special: Sequence[str] = tuple(ROLES.values()),
        at_least: int = 1,
    ) -> Self:
        """Use the characters that occur in the texts at least ``at_least`` times.

        There are at most ``vocab_size`` tokens (default no limit), including special ones, which
        get the first ids: the most frequent characters are kept, and of equally frequent ones the
        first by code point. A ``vocab_size`` that is too small, and a special name of one
        character, raise ``ValueError``.
        """
        special = check_special(special)
        counts: Counter[str] = Counter()
        for text in check_texts(texts):
            counts.update(text)
        kept = most_frequent(counts, special, vocab_size, at_least)
        return cls((*special, *sorted(kept)), special)

    def _encode(self, text: str) -> list[int]:
        if self.unknown is not None:
            return [self._ids.get(c, self.unknown) for c in text]
        try:
            return [self._ids[c] for c in text]
        except KeyError as error:
            raise ValueError(
                "text must consist of characters seen in training, "
                f"got {error.args[0]!r}, and there is no <unk> to replace it"
            ) from None

    def _settled(self, text: str) -> list[str]:
        return [text]

    def _join(self, tokens: Sequence[str]) -> str:
        return "".join(tokens)

    def _document(self) -> dict[str, Any]:
        return {
            "pre_tokenizer": {
                "type": "Split", "pattern": {"Regex": ANY}, "behavior": "Isolated", "invert": False,
            },
            "decoder": {"type": "Fuse"},
            "model": {"type": "WordLevel", "vocab": self._ids, "unk_token": ROLES["unknown"]},
        }  # fmt: skip

    @classmethod
    def _from_document(cls, document: TokenizerFile) -> Self | None:
        split = document["pre_tokenizer"]
        ours = document.kind("model") == "WordLevel" and split.get("pattern") == {"Regex": ANY}
        if not ours or document.kind("normalizer") or split.get("behavior") != "Isolated":
            return None
        document.must_stand_alone()
        document.must_be("model", unk_token=(ROLES["unknown"],))
        document.must_be("decoder", type=("Fuse",))
        return cls(*document.vocabulary())
