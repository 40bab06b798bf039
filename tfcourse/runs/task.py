"""Tasks: the common form into which every kind of preset is brought."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from tfcourse import data, tokenizers
from tfcourse.presets import Preset
from tfcourse.tokenizers import Tokenizer
from tfcourse.tokenizers.base import ROLES
from tfcourse.training.losses import Loss


@dataclass
class Task:
    """A preset with its corpus read, its tokenizers trained and its model made.

    ``judge(model)`` returns the measures of the preset's ``[evaluation]``, in a form that JSON can
    hold; ``extra`` is saved with the model: tokenizers, and how images are scaled; ``says`` has
    facts about the data, by name. The others are arguments of :func:`tfcourse.training.fit`.
    """

    model: nn.Module
    batches: Iterable[Any]
    loss: Loss
    validate: Callable[[nn.Module], float] | None
    judge: Callable[[nn.Module], dict[str, Any]]
    extra: dict[str, Any] = field(default_factory=dict)
    says: dict[str, Any] = field(default_factory=dict)


def corpora(preset: Preset) -> tuple[data.Corpus, data.Corpus, data.Corpus]:
    """The examples for training, for validation, and for the final evaluation."""
    d = preset.data
    train = data.load(d.name, d.train, **d.options)
    if d.held_out:
        if d.held_out >= len(train):
            raise ValueError(
                f"data.held_out must be below the {len(train)} training examples, got {d.held_out}"
            )
        train, validation = train[: -d.held_out], train[-d.held_out :]
    else:
        validation = data.load(d.name, d.validation, **d.options)
    test = data.load(d.name, d.test, **d.options) if d.test else validation
    return train, validation, test


def tokenizer(preset: Preset, texts: Iterable[str]) -> Tokenizer:
    """The tokenizer that the preset asks for, trained on these texts."""
    t = preset.tokenizer
    most = t.vocab_size or None
    if t.kind == "characters":
        return tokenizers.CharTokenizer.train(texts, most, special=t.special, at_least=t.at_least)
    if t.kind == "words":
        return tokenizers.WordTokenizer.train(
            texts, most, special=t.special, at_least=t.at_least, lower=t.lower,
            punctuation=t.punctuation,
        )  # fmt: skip
    return tokenizers.BPETokenizer.train(texts, most, special=t.special)


def id_of(tokens: Tokenizer, role: str) -> int:
    """The id of a special token, given its role; raises as :func:`needs` does."""
    needs(tokens, role)
    return tokens.id(ROLES[role])


def needs(tokens: Tokenizer, *names: str) -> None:
    """Raise ``ValueError`` for a tokenizer without a special token, given its role or name."""
    for name in names:
        token = ROLES.get(name, name)
        if token not in tokens.special:
            raise ValueError(
                f"tokenizer.special must have {token!r} for this task, got {list(tokens.special)}"
            )


def grouped(rows: list[list[int]], size: int) -> Iterator[tuple[list[list[int]], list[int]]]:
    """Groups of up to ``size`` rows of similar length, for little padding, and their indices."""
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    for begin in range(0, len(order), size):
        places = order[begin : begin + size]
        yield [rows[i] for i in places], places
