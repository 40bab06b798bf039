"""The schema of presets, section by section: every key, with its allowed values."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tfcourse import data, models
from tfcourse.arguments import (
    above_zero,
    at_least_one,
    check_probability,
    one_of,
)
from tfcourse.devices import ATTENTION_BACKENDS

#: The tasks, and the models for each.
TASKS = {
    "language model": ("GPT", "RecurrentLM"),
    "translation": ("Transformer", "Seq2Seq"),
    "images": ("ViT",),
    "word vectors": ("SkipGram",),
    "masked words": ("BERT",),
}
#: All of these models.
MODELS = tuple(dict.fromkeys(kind for kinds in TASKS.values() for kind in kinds))
#: Attributes of a model's config that the data determine, so a preset does not set them.
FROM_DATA = ("vocab_size", "target_vocab_size", "padding", "classes", "image", "channels")


@dataclass(frozen=True)
class Data:
    """``[data]``: which corpus, and how its splits are used.

    Attributes
    ----------
    name, options:
        As for :func:`tfcourse.data.load`; ``tfcourse data info NAME`` lists the options.
    train, validation, test, held_out:
        Names of its splits. If ``validation`` is the same as ``train``, its last ``held_out``
        examples are set aside for validation; without a ``test``, the run is evaluated on the
        validation split.
    """

    name: str
    train: str = "train"
    validation: str = "validation"
    test: str = ""
    held_out: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        card = data.info(self.name)
        for name in ("train", "validation", "test"):
            split = getattr(self, name)
            if split not in card.splits and not (name == "test" and not split):
                raise ValueError(f"{name} must be one of {list(card.splits)}, got {split!r}")
        if self.held_out < 0:
            raise ValueError(f"held_out must be at least 0, got {self.held_out}")
        if (self.validation == self.train) != (self.held_out > 0):
            raise ValueError(
                "held_out must be above 0 exactly if validation is train, got "
                f"{self.held_out} with validation={self.validation!r}"
            )
        if unknown := [name for name in self.options if name not in card.options]:
            raise ValueError(f"options must be among {list(card.options)}, got {unknown[0]!r}")


@dataclass(frozen=True)
class Tokens:
    """``[tokenizer]``: how texts are tokenised; trained on the training split.

    Attributes
    ----------
    kind:
        ``"characters"``, ``"words"``, ``"bpe"``, or ``"none"`` for images.
    vocab_size, special:
        Maximum number of tokens, special ones included; 0 for no limit (``"bpe"`` needs a number).
    at_least, lower, punctuation:
        How often a character or a word must occur to be kept. For words: whether texts are
        lowercased, and punctuation is separated.
    shared:
        In translation, whether both languages share one vocabulary.
    """

    kind: str = "none"
    vocab_size: int = 0
    at_least: int = 1
    special: tuple[str, ...] = ("<pad>", "<s>", "</s>", "<unk>")
    lower: bool = False
    punctuation: bool = False
    shared: bool = True

    KINDS: ClassVar = ("characters", "words", "bpe", "none")

    def __post_init__(self) -> None:
        one_of(self.KINDS, kind=self.kind)
        at_least_one(at_least=self.at_least)
        if self.vocab_size < 0 or (self.kind == "bpe" and not self.vocab_size):
            raise ValueError(
                f'vocab_size must be at least 0, and above it for "bpe", got {self.vocab_size}'
            )
        if (self.lower or self.punctuation) and self.kind != "words":
            raise ValueError(f'lower and punctuation are for kind="words", got {self.kind!r}')


@dataclass(frozen=True)
class ModelTable:
    """``[model]``: the model's class and its config.

    Attributes
    ----------
    kind:
        One of :data:`MODELS`.
    choices:
        The other keys of the section: attributes of the model's config, except those that the data
        determine (:data:`FROM_DATA`).
    """

    kind: str
    choices: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of(MODELS, kind=self.kind)
        fields = [f.name for f in dataclasses.fields(self.config_class)]
        known = [name for name in fields if name not in FROM_DATA]
        if unknown := [name for name in self.choices if name not in known]:
            raise ValueError(
                f"{unknown[0]} is not an attribute of {self.config_class.__name__} that a preset "
                f"sets; those are {known}"
            )
        self.config(**self._stand_ins())  # so that invalid sizes fail now

    @property
    def config_class(self) -> type:
        """The class of the model's config."""
        return getattr(models, f"{self.kind}Config")

    def config(self, **from_data: Any) -> Any:
        """The model's config, with the values that the data determine."""
        return self.config_class(**from_data, **self.choices)

    def make(self, **from_data: Any) -> Any:
        """The model, with the values that the data determine."""
        return getattr(models, self.kind)(self.config(**from_data))

    def _stand_ins(self) -> dict[str, int]:
        """Placeholders for the values that the data will determine."""
        if self.kind != "ViT":
            return {"vocab_size": 8}
        return {"classes": 2, "image": self.choices.get("patch", 16)}


@dataclass(frozen=True)
class Training:
    """``[training]``: the arguments of :func:`tfcourse.training.fit`, and of its parts.

    Attributes
    ----------
    steps, seed:
        Optimiser steps, and the random seed.
    batch, batch_tokens, accumulate:
        Sequences in a batch, or the maximum number of tokens in a batch of pairs, padding included,
        on the longer side; and batches per step.
    window:
        Tokens in a sequence cut from running text; for masked words including [CLS] and [SEP].
    lr, schedule, warmup, lowest:
        The peak learning rate; ``"constant"``, ``"cosine"``, ``"inverse_root"`` or ``"noam"``
        (which multiplies its own rate by ``lr``); warm-up steps; the rate at the end of
        ``"cosine"``.
    weight_decay, betas, eps, clip, smoothing:
        Of AdamW; the maximum gradient norm, 0 for no limit; and label smoothing.
    negatives, around, subsample:
        For word vectors: negatives per pair, the maximum window to either side, and the threshold
        above which frequent words are dropped.
    masked:
        For masked words: the fraction of words to predict in training.
    flip, shift:
        For images: whether to mirror them at random, and by how many pixels to shift them at most.
    autocast, compile, max_seconds:
        ``"bfloat16"`` or ``""``; whether to compile the model; when to stop early, 0 for never.
    attention:
        The kernel for attention, of :func:`tfcourse.devices.attention_backend`; ``""`` leaves the
        choice to PyTorch.
    validate_every, checkpoint_every, keep:
        Steps between them, 0 for a tenth of all; and how many checkpoints to keep.
    average, best:
        How many of the last checkpoints to average at the end, 1 for only the last; or whether to
        take the one with the best validation instead.
    """

    steps: int
    seed: int = 0
    batch: int = 0
    batch_tokens: int = 0
    window: int = 0
    accumulate: int = 1
    lr: float = 1e-3
    schedule: str = "cosine"
    warmup: int = 0
    lowest: float = 0.0
    weight_decay: float = 0.0
    betas: tuple[float, ...] = (0.9, 0.999)
    eps: float = 1e-8
    clip: float = 1.0
    smoothing: float = 0.0
    negatives: int = 5
    around: int = 5
    subsample: float = 1e-3
    masked: float = 0.15
    flip: bool = False
    shift: int = 0
    autocast: str = ""
    compile: bool = False
    attention: str = ""
    max_seconds: float = 0.0
    validate_every: int = 0
    checkpoint_every: int = 0
    keep: int = 2
    average: int = 1
    best: bool = False

    SCHEDULES: ClassVar = ("constant", "cosine", "inverse_root", "noam")

    def __post_init__(self) -> None:
        at_least_one(
            steps=self.steps, accumulate=self.accumulate, keep=self.keep, average=self.average,
            negatives=self.negatives, around=self.around,
        )  # fmt: skip
        above_zero(lr=self.lr, eps=self.eps, subsample=self.subsample, masked=self.masked)
        check_probability(smoothing=self.smoothing, masked=self.masked)
        one_of(self.SCHEDULES, schedule=self.schedule)
        one_of(("", "bfloat16"), autocast=self.autocast)
        one_of(("", *ATTENTION_BACKENDS), attention=self.attention)
        for name in ("seed", "batch", "batch_tokens", "window", "warmup", "lowest", "weight_decay",
                     "clip", "shift", "max_seconds", "validate_every",
                     "checkpoint_every"):  # fmt: skip
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)}")
        if (self.batch > 0) == (self.batch_tokens > 0):
            raise ValueError(
                f"either batch or batch_tokens must be above 0, got {self.batch} and "
                f"{self.batch_tokens}"
            )
        if len(self.betas) != 2:
            raise ValueError(f"betas must be two numbers, got {list(self.betas)}")
        if self.schedule in ("inverse_root", "noam"):
            at_least_one(warmup=self.warmup)
        if self.average > 1 and (self.best or self.keep < self.average):
            raise ValueError(
                f"average must be 1 with best, and at most keep={self.keep}, got {self.average}"
            )


@dataclass(frozen=True)
class Evaluation:
    """``[evaluation]``: how the trained model is evaluated on ``data.test``.

    Attributes
    ----------
    measures:
        ``"loss"`` for all kinds; ``"exact"``, ``"bleu"`` and ``"chrf"`` for translators;
        ``"accuracy"`` for images and masked words; ``"wordsim"`` for word vectors.
    num_beams, length_penalty, penalty_form, max_new_tokens:
        Hypotheses of beam search, in addition to greedy search, 1 for only greedy; exponent and
        form of its length penalty; and the maximum number of tokens to write.
    tokenize, lowercase:
        For BLEU: sacrebleu's name for the tokenisation, and whether to ignore case.
    batch:
        Examples evaluated at once.
    """

    measures: tuple[str, ...] = ("loss",)
    num_beams: int = 1
    length_penalty: float = 1.0
    penalty_form: str = "power"
    tokenize: str = "13a"
    lowercase: bool = False
    max_new_tokens: int = 64
    batch: int = 100

    MEASURES: ClassVar = ("loss", "exact", "bleu", "chrf", "accuracy", "wordsim")

    def __post_init__(self) -> None:
        for measure in self.measures:
            one_of(self.MEASURES, measures=measure)
        one_of(("13a", "none", "intl", "char"), tokenize=self.tokenize)
        one_of(("power", "gnmt"), penalty_form=self.penalty_form)
        at_least_one(num_beams=self.num_beams, max_new_tokens=self.max_new_tokens, batch=self.batch)


@dataclass(frozen=True)
class Preset:
    """Everything needed to repeat a run: its sections, and one of :data:`TASKS`.

    ``about`` says what it trains and where its figures come from, in a sentence or two.
    """

    about: str
    task: str
    data: Data
    model: ModelTable
    training: Training
    tokenizer: Tokens = Tokens()
    evaluation: Evaluation = Evaluation()

    def __post_init__(self) -> None:
        one_of(TASKS, task=self.task)
        if self.model.kind not in TASKS[self.task]:
            raise ValueError(
                f"model.kind must be one of {list(TASKS[self.task])} for the task {self.task!r}, "
                f"got {self.model.kind!r}"
            )
        if (self.tokenizer.kind == "none") != (self.task == "images"):
            raise ValueError(
                f'tokenizer.kind must be "none" for images and only for images, got '
                f"{self.tokenizer.kind!r} for the task {self.task!r}"
            )
        if self.task in ("language model", "masked words"):
            at_least_one(**{"training.window": self.training.window})
