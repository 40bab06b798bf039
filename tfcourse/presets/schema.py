"""What a preset may say, section by section; every key is here, with what it may be."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tfcourse import data, models
from tfcourse.arguments import (
    OldNames,
    above_zero,
    at_least_one,
    check_probability,
    one_of,
    renamed,
)

#: What a run learns to do, and the models that can.
TASKS = {
    "language model": ("GPT", "RecurrentLM"),
    "translation": ("Transformer", "Seq2Seq"),
    "images": ("ViT",),
    "word vectors": ("SkipGram",),
    "masked words": ("BERT",),
}
#: All of these models.
MODELS = tuple(dict.fromkeys(kind for kinds in TASKS.values() for kind in kinds))
#: What a model's config says that the data decide, so that a preset does not.
FROM_DATA = ("vocab_size", "target_vocab_size", "padding", "classes", "image", "channels")


@dataclass(frozen=True)
class Data:
    """``[data]``: which corpus, and which parts of it for what.

    Attributes
    ----------
    name, options:
        As for :func:`tfcourse.data.load`; ``tfcourse data info NAME`` lists the options.
    train, validation, test, held_out:
        Names of its splits. If ``validation`` is the same as ``train``, the last ``held_out``
        examples of it are kept apart for validation; without a ``test`` the run is judged on the
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
                "held_out must be above 0 exactly where validation is train, got "
                f"{self.held_out} with validation={self.validation!r}"
            )
        if unknown := [name for name in self.options if name not in card.options]:
            raise ValueError(f"options must be among {list(card.options)}, got {unknown[0]!r}")


@dataclass(frozen=True)
class Tokens(OldNames):
    """``[tokenizer]``: what texts are cut into; trained on the training split.

    Attributes
    ----------
    kind:
        ``"characters"``, ``"words"``, ``"bpe"``, or ``"none"`` for pictures.
    vocab_size, special:
        Most tokens, special ones among them; 0 for all there are (``"bpe"`` needs a number).
    at_least, lower, punctuation:
        How often a character or a word must occur to be kept. Of words: whether texts are put into
        lower case, and punctuation set apart.
    shared:
        In translation, whether both languages have one vocabulary.
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
class Model:
    """``[model]``: the model's class and its config.

    Attributes
    ----------
    kind:
        One of :data:`MODELS`.
    choices:
        The other keys of the section: attributes of the model's config, apart from those that the
        data decide (:data:`FROM_DATA`).
    """

    kind: str
    choices: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        one_of(MODELS, kind=self.kind)
        fields = [f.name for f in dataclasses.fields(self.config_class)]
        choices = renamed(self.choices, fields, self.config_class.__name__, DeprecationWarning)
        object.__setattr__(self, "choices", choices)
        known = [name for name in fields if name not in FROM_DATA]
        if unknown := [name for name in self.choices if name not in known]:
            raise ValueError(
                f"{unknown[0]} is no attribute of {self.config_class.__name__} that a preset "
                f"sets; those are {known}"
            )
        self.config(**self._stand_ins())  # so that sizes that do not fit are told now

    @property
    def config_class(self) -> type:
        """The class of the model's config."""
        return getattr(models, f"{self.kind}Config")

    def config(self, **from_data: Any) -> Any:
        """The model's config, with what the data decide."""
        return self.config_class(**from_data, **self.choices)

    def make(self, **from_data: Any) -> Any:
        """The model, with what the data decide."""
        return getattr(models, self.kind)(self.config(**from_data))

    def _stand_ins(self) -> dict[str, int]:
        """Something for what the data will decide."""
        if self.kind != "ViT":
            return {"vocab_size": 8}
        return {"classes": 2, "image": self.choices.get("patch", 16)}


@dataclass(frozen=True)
class Training:
    """``[training]``: the arguments of :func:`tfcourse.training.fit`, and of what it is given.

    Attributes
    ----------
    steps, seed:
        Steps of the optimiser, and where random numbers start.
    batch, batch_tokens, accumulate:
        Sequences in a batch, or most tokens of a batch of pairs, padding among them, on the longer
        side; and batches for one step.
    window:
        Tokens of a sequence cut out of running text; for masked words with [CLS] and [SEP].
    lr, schedule, warmup, lowest:
        The highest rate; ``"constant"``, ``"cosine"``, ``"inverse_root"`` or ``"noam"`` (which
        multiplies its own rate by ``lr``); steps until it is reached; the rate at the end of
        ``"cosine"``.
    weight_decay, betas, eps, clip, smoothing:
        Of AdamW; the longest gradient, 0 for any; and of labels.
    negatives, around, subsample:
        Of word vectors: words drawn for each pair, the widest window to either side, and the
        threshold above which frequent words are dropped.
    masked:
        Of masked words: the share of the words that are to be guessed in training.
    flip, shift:
        Of pictures: whether they are mirrored at random, and moved by as many pixels at most.
    autocast, compile, max_seconds:
        ``"bfloat16"`` or ``""``; whether the model is compiled; when to end early, 0 for never.
    validate_every, checkpoint_every, keep:
        Steps between, 0 for a tenth of all; and how many checkpoints stay.
    average, best:
        Of how many last checkpoints the model is the mean in the end, 1 for the last alone; or
        whether it is that of the best validation instead.
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
class Evaluation(OldNames):
    """``[evaluation]``: how the trained model is judged, on ``data.test``.

    Attributes
    ----------
    measures:
        ``"loss"`` of all kinds; of translators ``"exact"``, ``"bleu"`` and ``"chrf"``; of pictures,
        and of masked words ``"accuracy"``; of word vectors ``"wordsim"``.
    beams, alpha, max_new_tokens:
        Hypotheses of beam search, beside greedy search, 1 for greedy alone; its length penalty; and
        the most tokens that are written.
    tokenize, lowercase:
        Of BLEU: sacrebleu's name for how sentences are cut into words, and whether case counts as
        the same.
    batch:
        Examples judged at once.
    """

    measures: tuple[str, ...] = ("loss",)
    beams: int = 1
    alpha: float = 1.0
    tokenize: str = "13a"
    lowercase: bool = False
    max_new_tokens: int = 64
    batch: int = 100

    MEASURES: ClassVar = ("loss", "exact", "bleu", "chrf", "accuracy", "wordsim")

    def __post_init__(self) -> None:
        for measure in self.measures:
            one_of(self.MEASURES, measures=measure)
        one_of(("13a", "none", "intl", "char"), tokenize=self.tokenize)
        at_least_one(beams=self.beams, max_new_tokens=self.max_new_tokens, batch=self.batch)
        if self.alpha < 0:
            raise ValueError(f"alpha must be at least 0, got {self.alpha}")


@dataclass(frozen=True)
class Preset:
    """All that a run needs to be repeated: its sections, and one of :data:`TASKS`.

    ``about`` says what it trains and where its figures come from, in a sentence or two.
    """

    about: str
    task: str
    data: Data
    model: Model
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
                f'tokenizer.kind must be "none" for pictures and for nothing else, got '
                f"{self.tokenizer.kind!r} for the task {self.task!r}"
            )
        if self.task in ("language model", "masked words"):
            at_least_one(**{"training.window": self.training.window})
