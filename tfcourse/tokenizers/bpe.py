"""Byte-pair encoding on bytes: no text is unknown, and frequent words are short."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import regex

from tfcourse.tokenizers.base import ROLES, Tokenizer, check_size, check_special, check_texts
from tfcourse.tokenizers.file_format import TokenizerFile
from tfcourse.tokenizers.merges import Pair, apply_merges, learn_merges

#: GPT-2's words: the endings of English contractions; letters, digits or other characters, each
#: with an optional leading space; and white space, without its last space if a word follows.
WORDS = regex.compile(r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")

#: Number of words whose ids are cached before the cache is cleared.
REMEMBERED = 100_000


def _visible_bytes() -> str:
    """A visible character for each byte, so that tokens can be printed and stored in a file.

    A byte that is a visible Latin-1 character stands for itself; the others, in order, are the
    characters from U+0100 on. So a space is ``Ġ`` and a newline ``Ċ``.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1),
               *range(ord("®"), ord("ÿ") + 1)}  # fmt: skip
    hidden = [byte for byte in range(256) if byte not in visible]
    return "".join(
        chr(byte if byte in visible else 256 + hidden.index(byte)) for byte in range(256)
    )


#: The character at index ``b`` stands for byte ``b``.
BYTES = _visible_bytes()
_BYTE_OF = {c: byte for byte, c in enumerate(BYTES)}


class BPETokenizer(Tokenizer):
    """The 256 bytes, and merges of pairs of tokens that were frequent in training.

    A text is split into words by GPT-2's rule (``WORDS``), a word is encoded in UTF-8, and its
    bytes are merged in the order in which the pairs, ``merges``, were learned. Any text can be
    encoded and decodes to itself.

    Ids: special tokens, bytes, then merges as they were learned. In the names of tokens each byte
    is a visible character (``BYTES``): ``Ġ`` is a space. A special token must not be something that
    a word can be merged into.

    Notes
    -----
    Sennrich et al. 2016; on bytes, with these words: Radford et al. 2019, section 2.2.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        merges: Sequence[tuple[str, str]],
        special: Sequence[str] = (),
    ) -> None:
        super().__init__(tokens, special)
        _check_special_bytes(self.special)
        for token in self.tokens:
            if token not in self.special and not _BYTE_OF.keys() >= set(token):
                raise ValueError(f"tokens must be written in visible bytes, got {token!r}")
        for token in (*BYTES, *(part for pair in merges for part in (*pair, "".join(pair)))):
            if token not in self._ids:
                raise ValueError(f"tokens must have all bytes and merges, {token!r} is missing")
        self.merges = tuple((left, right) for left, right in merges)
        self._ranks: dict[Pair, tuple[int, int]] = {
            (self._ids[left], self._ids[right]): (rank, self._ids[left + right])
            for rank, (left, right) in enumerate(self.merges)
        }
        self._bytes = [self._ids[c] for c in BYTES]
        self._known: dict[str, list[int]] = {}

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int | None = 1000,
        *,
        special: Sequence[str] = (ROLES["pad"], ROLES["start"], ROLES["end"]),
    ) -> Self:
        """Learn from the texts which pairs to merge; nothing is merged across texts.

        There are ``vocab_size`` tokens: special ones, which get the first ids, 256 bytes, and
        merges, or fewer if the texts have no more pairs. A ``vocab_size`` too small for bytes and
        special tokens, and a special name that could be a word of a text, raise ``ValueError``.
        """
        special = check_special(special)
        _check_special_bytes(special)
        vocab_size = 1000 if vocab_size is None else vocab_size
        check_size(vocab_size, len(special) + len(BYTES), "256 bytes and the special tokens")
        alphabet = sorted(BYTES)
        byte_ids = [len(special) + alphabet.index(c) for c in BYTES]
        counts: Counter[str] = Counter()
        for text in check_texts(texts):
            counts.update(WORDS.findall(text))
        words: dict[Sequence[int], int] = {
            tuple(byte_ids[b] for b in word.encode()): n for word, n in counts.items()
        }
        tokens, pairs = learn_merges(words, (*special, *alphabet), vocab_size)
        return cls(tokens, [(tokens[left], tokens[right]) for left, right in pairs], special)

    @classmethod
    def from_vocab_and_merges(
        cls, vocab: str | Path, merges: str | Path, special: Sequence[str] | None = None
    ) -> Self:
        """Read ``vocab.json`` and ``merges.txt``, the two files of GPT-2's release.

        The first is a JSON object of tokens and their ids, the second has a pair of tokens in each
        line; a first line that begins with ``#version`` is skipped. By default, special tokens are
        those that are neither bytes nor the result of a merge, such as ``<|endoftext|>``. Files
        that do not hold a tokenizer or do not match raise ``ValueError``.
        """
        try:
            ids = json.loads(Path(vocab).read_text(encoding="utf-8"))
        except ValueError as error:  # neither UTF-8 nor JSON
            raise ValueError(f"vocab must hold JSON, got {error} in {vocab}") from None
        if not isinstance(ids, dict) or sorted(ids.values()) != list(range(len(ids))):
            raise ValueError(f"vocab must hold tokens with ids 0, 1, 2 ..., {vocab} does not")
        lines = Path(merges).read_text(encoding="utf-8").split("\n")
        lines = lines[lines[0].startswith("#version") :]
        pairs = []
        for n, line in enumerate(filter(None, lines), 1):
            left, space, right = line.partition(" ")
            if not space or " " in right:
                raise ValueError(f"merges must hold pairs, got {line!r}, pair {n} of {merges}")
            pairs.append((left, right))
        tokens = sorted(ids, key=ids.__getitem__)
        if special is None:
            made = {*BYTES, *(left + right for left, right in pairs)}
            special = [token for token in tokens if token not in made]
        return cls(tokens, pairs, special)

    def _encode(self, text: str) -> list[int]:
        ids = []
        for word in WORDS.findall(text):
            known = self._known.get(word)
            if known is None:
                if len(self._known) >= REMEMBERED:
                    self._known.clear()
                known = apply_merges([self._bytes[b] for b in word.encode()], self._ranks)
                self._known[word] = known
            ids += known
        return ids

    def _settled(self, text: str) -> list[str]:
        # Another letter may extend the last word, and "'r" and "e" become "'re": two are open.
        return WORDS.findall(text)[:-2]

    def _join(self, tokens: Sequence[str]) -> str:
        # A cut through a character leaves bytes that are not UTF-8: shown as U+FFFD.
        spelt = b"".join(
            token.encode() if token in self.special else bytes(_BYTE_OF[c] for c in token)
            for token in tokens
        )
        return spelt.decode(errors="replace")

    def _document(self) -> dict[str, Any]:
        byte_level = {
            "type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True,
        }  # fmt: skip
        return {
            "pre_tokenizer": byte_level,
            "decoder": byte_level,
            "model": {
                "type": "BPE", "dropout": None, "unk_token": None,
                "continuing_subword_prefix": None, "end_of_word_suffix": None,
                "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                "vocab": self._ids, "merges": self.merges,
            },
        }  # fmt: skip

    @classmethod
    def _from_document(cls, document: TokenizerFile) -> Self | None:
        model, words = document["model"], document["pre_tokenizer"]
        # Files from before 2022 do not specify the type.
        if model.get("type", "BPE") != "BPE" or words.get("type") != "ByteLevel":
            return None
        document.must_stand_alone()
        document.must_be(
            "model", dropout=(None, 0), continuing_subword_prefix=(None, ""),
            end_of_word_suffix=(None, ""), byte_fallback=(None, False), ignore_merges=(None, False),
        )  # fmt: skip
        document.must_be("pre_tokenizer", add_prefix_space=(False,), use_regex=(None, True))
        document.must_be("normalizer", type=(None,))
        document.must_be("decoder", type=(None, "ByteLevel"))
        merges = [
            tuple(pair.split(" ") if isinstance(pair, str) else pair)
            for pair in model.get("merges") or []
        ]
        tokens, special = document.vocabulary()
        return cls(tokens, merges, special)


def _check_special_bytes(special: Sequence[str]) -> None:
    """Merges stay within a word: several words are never the result of merges."""
    for token in special:
        spelt = set(token) <= _BYTE_OF.keys()
        if spelt and (not token.isascii() or len(WORDS.findall(token)) == 1):
            raise ValueError(
                f"special must be names that bytes are never joined to, such as <s>, got {token!r}"
            )
