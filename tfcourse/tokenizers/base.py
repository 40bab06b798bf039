"""What all tokenizers share: ids, special tokens, files."""

from __future__ import annotations

import operator
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from tfcourse.arguments import at_least_one
from tfcourse.tokenizers import file_format

#: Special tokens that have a role, and their names. Other names may be special too.
ROLES = {"pad": "<pad>", "start": "<s>", "end": "</s>", "unknown": "<unk>"}


class Tokenizer(ABC):
    """Text to ids and back, trained on texts or loaded from a file.

    Duplicate tokens, and special ones that are not among the tokens, raise ``ValueError``.

    Attributes
    ----------
    tokens, special:
        All tokens, in the order of their ids; and those among them that do not stand for text.
    pad, start, end, unknown:
        The ids of ``<pad>``, ``<s>``, ``</s>`` and ``<unk>``, or of what a published vocabulary
        calls them; ``None`` if there is no such token.
    """

    _kinds: ClassVar[list[type[Tokenizer]]] = []
    _roles: ClassVar[dict[str, str]] = ROLES

    def __init_subclass__(cls, **choices: Any) -> None:
        super().__init_subclass__(**choices)
        Tokenizer._kinds.append(cls)

    def __init__(self, tokens: Sequence[str], special: Sequence[str] = ()) -> None:
        self.tokens = tuple(tokens)
        self.special = check_special(special)
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self._ids) < len(self.tokens):
            twice = next(t for i, t in enumerate(self.tokens) if self._ids[t] != i)
            raise ValueError(f"tokens must all be different, got {twice!r} twice")
        for token in self.special:
            if token not in self._ids:
                raise ValueError(f"special must be among the tokens, got {token!r}")
        self._special_ids = {self._ids[token] for token in self.special}
        longest_first = sorted(self.special, key=len, reverse=True)
        self._special_names = re.compile("|".join(map(re.escape, longest_first)))
        self.pad, self.start, self.end, self.unknown = (
            self._ids[name] if name in self.special else None for name in self._roles.values()
        )

    @classmethod
    @abstractmethod
    def train(cls, texts: Iterable[str], vocab_size: int | None = None) -> Self:
        """Choose the tokens from the texts."""

    @abstractmethod
    def _encode(self, text: str) -> list[int]:
        """The ids of a text that has been checked."""

    @abstractmethod
    def _settled(self, text: str) -> list[str]:
        """The leading pieces of the text, whose ids no later text can change."""

    @abstractmethod
    def _join(self, tokens: Sequence[str]) -> str:
        """The text that the tokens spell."""

    @abstractmethod
    def _document(self) -> dict[str, Any]:
        """The file's content for this tokenizer, without special tokens."""

    @classmethod
    @abstractmethod
    def _from_document(cls, document: file_format.TokenizerFile) -> Self | None:
        """The tokenizer that a file describes; ``None`` if it is of another kind."""

    def encode(
        self, text: str, *, start: bool = False, end: bool = False, special: bool = False
    ) -> list[int]:
        """The ids of a text.

        ``start`` and ``end`` add the ids of ``<s>`` and ``</s>`` at the ends. With ``special`` the
        names of special tokens in the text become their ids, the longest name first; do not use it
        for untrusted text: without it, ``<s>`` is three characters.

        Text that UTF-8 cannot encode, an unknown piece if there is no ``<unk>``, and a missing
        special token raise ``ValueError``.
        """
        before, after = self._asked("start", self.start, start), self._asked("end", self.end, end)
        text = check_text(text)
        named, done, _ = self._named(text, len(text), special)
        return before + named + self._encode(text[done:]) + after

    def _asked(self, name: str, token: int | None, asked: bool) -> list[int]:
        """The special token, if requested."""
        if asked and token is None:
            role = self._roles[name]
            raise ValueError(f"{name} must be False without a token {role}, got {asked}")
        return [token] if asked and token is not None else []

    def _named(self, text: str, stop: int, special: bool) -> tuple[list[int], int, int]:
        """The ids up to the last special token that ends before ``stop``, if ``special``.

        Also how many characters these cover, and where the next name begins, or ``stop``.
        """
        ids: list[int] = []
        done = 0
        for found in self._special_names.finditer(text) if special and self.special else ():
            if found.end() > stop:
                return ids, done, min(stop, found.start())
            ids += self._encode(text[done : found.start()])
            ids.append(self._ids[found.group()])
            done = found.end()
        return ids, done, stop

    def encode_iterable(self, texts: Iterable[str], *, special: bool = False) -> Iterator[int]:
        """The ids of a text in parts, cut anywhere, such as the lines of a large file.

        Ids and errors are exactly those of ``encode("".join(texts))``: text whose ids later parts
        could still change is held back.
        """
        if isinstance(texts, str):
            raise ValueError("texts must be parts of a text, got one str: use encode")
        rest = ""
        for text in texts:
            rest += check_text(text, "each of texts")
            ids, done = self._begin(rest, special)
            yield from ids
            rest = rest[done:]
        yield from self.encode(rest, special=special)

    def _begin(self, text: str, special: bool) -> tuple[list[int], int]:
        """The ids that no later text can change, and how many characters they cover."""
        plain = self._name_begun(text) if special else len(text)
        ids, done, stop = self._named(text, plain, special)
        for piece in self._settled(text[done:stop]):
            ids += self._encode(piece)
            done += len(piece)
        return ids, done

    def _name_begun(self, text: str) -> int:
        """Where an incomplete name of a special token begins at the end of the text."""
        longest = max(map(len, self.special), default=0)
        for i in range(max(len(text) - longest + 1, 0), len(text)):
            if any(
                len(name) > len(text) - i and name.startswith(text[i:]) for name in self.special
            ):
                return i
        return len(text)

    def decode(self, ids: Iterable[int], *, special: bool = False) -> str:
        """The text of the ids, without special tokens unless ``special``.

        An id outside the vocabulary raises ``ValueError``.
        """
        ids = ids.tolist() if hasattr(ids, "tolist") else list(ids)
        kept = (i for i in ids if special or i not in self._special_ids)
        return self._join([self.token(i) for i in kept])

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text, as :meth:`token` names them."""
        return [self.tokens[i] for i in self.encode(text)]

    def token(self, id: int) -> str:
        """The token with this id; raises ``ValueError`` if there is none."""
        try:
            place = operator.index(id)
        except TypeError:
            raise ValueError(f"id must be a whole number, got {id!r}") from None
        if not 0 <= place < len(self.tokens):
            raise ValueError(f"id must lie between 0 and {len(self) - 1}, got {id}")
        return self.tokens[place]

    def id(self, token: str) -> int:
        """The id of this token; raises ``ValueError`` if it is not in the vocabulary."""
        if token not in self._ids:
            raise ValueError(f"token must be one of the vocabulary's {len(self)}, got {token!r}")
        return self._ids[token]

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} tokens, special {' '.join(self.special)})"

    def save(self, path: str | Path) -> None:
        """Write the tokenizer as one JSON file, which ``tokenizers.Tokenizer.from_file`` reads.

        It gives the same ids there, except that Hugging Face's version looks for the names of
        special tokens in every text.
        """
        special = {token: self._ids[token] for token in self.special}
        file_format.write(path, self._document(), special)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a tokenizer; ``Tokenizer.load`` detects its kind.

        Files written by Hugging Face's ``tokenizers``, such as GPT-2's, can be read too if they
        describe one of these kinds. A file without a tokenizer, or with another kind, raises
        ``ValueError`` with the reason.
        """
        document = file_format.read(path)
        for kind in Tokenizer._kinds:
            if issubclass(kind, cls):
                tokenizer = kind._from_document(document)
                if tokenizer is not None:
                    return tokenizer
        raise ValueError(f"path must hold a {cls.__name__}, got {document.told()} in {path}")


def check_text(text: str, name: str = "text") -> str:
    """Raise ``ValueError`` for anything but text that UTF-8 can encode."""
    if not isinstance(text, str):
        raise ValueError(f"{name} must be a str, got {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = ord(text[error.start])
        raise ValueError(
            f"{name} must be text that UTF-8 can hold, "
            f"got U+{half:04X} at index {error.start}: half of a surrogate pair"
        ) from None
    return text


def check_texts(texts: Iterable[str]) -> Iterator[str]:
    """The training texts, each checked."""
    if isinstance(texts, str):
        raise ValueError("texts must be several texts, got one str: put it into a list")
    for text in texts:
        yield check_text(text, "each of texts")


def check_special(special: Sequence[str]) -> tuple[str, ...]:
    """Check the names of special tokens: none empty, none repeated."""
    if isinstance(special, str):
        raise ValueError(f"special must be several names, got one str, {special!r}")
    for token in special:
        if not check_text(token, "each of special"):
            raise ValueError("each of special must be a name, got an empty one")
    if len(set(special)) < len(special):
        raise ValueError(f"special must all be different, got {tuple(special)}")
    return tuple(special)


def check_size(vocab_size: int | None, least: int, what: str) -> None:
    """Raise ``ValueError`` for a vocabulary that is too small for its required tokens."""
    if vocab_size is not None and vocab_size < least:
        raise ValueError(f"vocab_size must be at least {least}, {what}, got {vocab_size}")


def most_frequent(
    counts: Counter[str], special: Sequence[str], vocab_size: int | None, at_least: int
) -> list[str]:
    """Pieces that occur at least ``at_least`` times, as many as fit with the special tokens.

    The most frequent come first, and equally frequent ones in the order of code points.
    """
    at_least_one(at_least=at_least)
    check_size(vocab_size, len(special), "the number of special tokens")
    ordered = sorted(counts.items(), key=lambda found: (-found[1], found[0]))
    kept = [piece for piece, n in ordered if n >= at_least]
    return kept[: None if vocab_size is None else vocab_size - len(special)]
