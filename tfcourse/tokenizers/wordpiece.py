"""BERT's tokenizer: whole words where the vocabulary has them, and pieces of words elsewhere."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self

import regex

from tfcourse.arguments import at_least_one
from tfcourse.tokenizers.base import Tokenizer
from tfcourse.tokenizers.file_format import TokenizerFile

#: What a piece begins with that continues a word.
CONTINUES = "##"
#: The longest word that is cut into pieces; a longer one is unknown.
LONGEST = 100

# Chinese characters count as words, each by itself.
_CHINESE = regex.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    "\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_DROPPED = regex.compile(r"[^\P{C}\t\n\r]|\ufffd")
_WORD = regex.compile(r"[!-/:-@\[-`{-~\p{P}]|[^\s!-/:-@\[-`{-~\p{P}]+")


class WordPieceTokenizer(Tokenizer):
    """BERT's pieces of words, read from a file with :meth:`Tokenizer.load`.

    Text is split at white space and punctuation. Each word is the longest piece of the vocabulary
    that begins it, then the longest that continues it, marked by ``##``, and so on; a word that
    cannot be spelt so is [UNK]. The special tokens are called [PAD], [CLS], [SEP] and [UNK]:
    ``encode(text, start=True, end=True)`` gives what BERT reads. With ``lower``, the default,
    texts are lowercased, and accents are removed.

    Notes
    -----
    Wu et al. 2016, section 4.1; Devlin et al. 2019, section 3. How the pieces were chosen is not
    part of the published vocabularies, so this tokenizer cannot be trained here.
    """

    _roles: ClassVar[dict[str, str]] = {
        "pad": "[PAD]", "start": "[CLS]", "end": "[SEP]", "unknown": "[UNK]",
    }  # fmt: skip

    def __init__(
        self,
        tokens: Sequence[str],
        special: Sequence[str] = (),
        *,
        lower: bool = True,
        max_input_chars_per_word: int = LONGEST,
    ) -> None:
        at_least_one(max_input_chars_per_word=max_input_chars_per_word)
        super().__init__(tokens, special)
        self.lower = lower
        self.max_input_chars_per_word = max_input_chars_per_word

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Raise ``NotImplementedError``: the pieces are read from a file; BPE can be trained."""
        raise NotImplementedError(
            "a WordPieceTokenizer is read with Tokenizer.load; to train one, use BPETokenizer.train"
        )

    def words(self, text: str) -> list[str]:
        """The words of a text before they are cut into pieces; a punctuation mark is a word."""
        text = _CHINESE.sub(r" \g<0> ", _DROPPED.sub("", text))
        if self.lower:
            marked = unicodedata.normalize("NFD", text)
            text = "".join(c for c in marked if unicodedata.category(c) != "Mn")
            # Letter by letter, as in Hugging Face: a sigma at the end of a word is like any other.
            text = "".join(c.lower() for c in text)
        return _WORD.findall(text)

    def _pieces(self, word: str) -> Iterator[int | None]:
        """The ids of a word's pieces; the last is ``None`` if a piece is missing."""
        begun = 0
        while begun < len(word):
            mark = CONTINUES if begun else ""
            ends = range(len(word), begun, -1)
            end = next((e for e in ends if mark + word[begun:e] in self._ids), None)
            yield None if end is None else self._ids[mark + word[begun:end]]
            begun = len(word) if end is None else end

    def _encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for word in self.words(text):
            short = len(word) <= self.max_input_chars_per_word
            found: list[int | None] = list(self._pieces(word)) if short else [None]
            if None in found:
                if self.unknown is None:
                    raise ValueError(
                        "text must consist of words that the pieces can spell, "
                        f"got {word!r}, and there is no [UNK] to replace it"
                    )
                found = [self.unknown]
            ids += [i for i in found if i is not None]
        return ids

    def _settled(self, text: str) -> list[str]:
        # Another letter may extend the last word, and only these characters always end one.
        cut = max(map(text.rfind, " \n\t\r")) + 1
        return [text[:cut]] if cut else []

    def _join(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens).replace(f" {CONTINUES}", "")

    def _document(self) -> dict[str, Any]:
        return {
            "normalizer": {
                "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                "strip_accents": None, "lowercase": self.lower,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "decoder": {"type": "WordPiece", "prefix": CONTINUES, "cleanup": False},
            "model": {
                "type": "WordPiece", "unk_token": self._roles["unknown"], "vocab": self._ids,
                "continuing_subword_prefix": CONTINUES,
                "max_input_chars_per_word": self.max_input_chars_per_word,
            },
        }  # fmt: skip

    @classmethod
    def _from_document(cls, document: TokenizerFile) -> Self | None:
        kinds = [document.kind(part) for part in ("model", "normalizer", "pre_tokenizer")]
        if kinds != ["WordPiece", "BertNormalizer", "BertPreTokenizer"]:
            return None
        model, normalizer = document["model"], document["normalizer"]
        lower = normalizer.get("lowercase")
        document.must_be("normalizer", clean_text=(True,), handle_chinese_chars=(True,),
                         lowercase=(True, False), strip_accents=(None, lower))  # fmt: skip
        document.must_be("model", unk_token=(cls._roles["unknown"],),
                         continuing_subword_prefix=(CONTINUES,))  # fmt: skip
        document.must_be("decoder", type=(None, "WordPiece"))
        return cls(
            *document.vocabulary(), lower=bool(lower),
            max_input_chars_per_word=model.get("max_input_chars_per_word", LONGEST),
        )  # fmt: skip
