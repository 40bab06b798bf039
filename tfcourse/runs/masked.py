"""Masked words: an encoder predicts hidden words of a running text, as in BERT's pre-training."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from tfcourse.arguments import at_least_one
from tfcourse.batching import Batches, mask_words
from tfcourse.data import Corpus
from tfcourse.evaluation import accuracy
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora, needs, tokenizer
from tfcourse.runs.translation import interval
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import label_smoothed_loss
from tfcourse.training.batches import moved

#: The seed for choosing held-out words, so that every model and seed predicts the same ones.
HELD_OUT_SEED = 0

# The model's input, the original ids, and where predictions count; each ``(B, T)``.
Batch = tuple[Int[Tensor, "B T"], Int[Tensor, "B T"], Bool[Tensor, "B T"]]


def masked_words(preset: Preset) -> Task:
    """The task of predicting hidden words of a running text.

    Windows of ``training.window`` tokens are drawn from the text, [CLS] and [SEP] included, and
    each time one is drawn, different words of it are hidden. The model is evaluated on adjacent
    windows, with 15 % of the words replaced by [MASK]: a word that it can see is not a test.

    The bias of the masked-word head starts at the log frequencies of the words in the text, so that
    no step is spent on learning which words are frequent.
    """
    train, validation, test = corpora(preset)
    choice = preset.training
    if "words" not in preset.model.config(vocab_size=1).predicts:
        raise ValueError(
            "model.predicts must have 'words' for masked words, got "
            f"{list(preset.model.choices['predicts'])}"
        )
    tokens = tokenizer(preset, documents(train))
    hide = Hide(tokens, choice.masked)
    ids = running_text(tokens, documents(train))
    model = preset.model.make(vocab_size=len(tokens), padding=tokens.pad)

    def held_out(corpus: Corpus) -> Batches:
        windows = hide.windows(running_text(tokens, documents(corpus)), choice.window)
        return Batches(hide.for_test(windows), preset.evaluation.batch, shuffle=False)

    counts = torch.bincount(ids[hide.may(ids)], minlength=len(tokens))
    with torch.no_grad():
        model.words.b_V.copy_(((counts + 1) / (counts + 1).sum()).log())
    tests = held_out(test)

    def judge(model: nn.Module) -> dict[str, Any]:
        found = guess(model, tests)
        return {
            "loss": found.loss,
            **interval("accuracy", accuracy(found.guesses, found.words)),
            "accuracy of always the commonest word": float(
                (found.words == counts.argmax()).double().mean()
            ),
        }

    validation_batches = held_out(validation)
    return Task(
        model,
        Batches(hide.windows(ids, choice.window, 1), choice.batch, collate=hide, seed=choice.seed,
                drop_last=True),
        MaskedWord(choice.smoothing),
        lambda model: guess(model, validation_batches).loss,
        judge,
        {"tokenizer": tokens},
        {"training tokens": len(ids), "vocabulary": len(tokens)},
    )  # fmt: skip


def documents(corpus: Corpus) -> list[str]:
    """The texts of a corpus: its lines that are not empty, or the texts of labelled examples."""
    texts = [getattr(example, "text", example) for example in corpus]
    if any(not isinstance(text, str) for text in texts[:1]):
        raise ValueError(
            f"data.name must be a corpus of texts for masked words, got {corpus.card.name!r}: "
            f"{corpus.card.what}"
        )
    return [text for text in texts if text.strip()]


def running_text(tokens: Tokenizer, texts: Iterable[str]) -> Int[Tensor, " N"]:
    """The ids of all texts, one after another, each ended by [SEP]."""
    end = tokens.id("[SEP]")
    return torch.tensor([i for text in texts for i in (*tokens.encode(text), end)])


class Hide:
    """Makes batches for masked words: windows with [CLS] and [SEP], some words hidden.

    It is a ``collate`` for :class:`~tfcourse.batching.Batches`: called on windows ``(B, T - 2)``,
    it returns the model's input, the original ids and where predictions count, each ``(B, T)``.

    The tokenizer must have [CLS], [SEP] and [MASK]. No special token is ever chosen or drawn as a
    random word, ``<unk>`` included: what it stands for cannot be predicted. ``share``, in (0, 1],
    is the fraction of words to predict; ``words``, ``(W,)``, are the ids that are not special.
    """

    def __init__(self, tokens: Tokenizer, share: float = 0.15) -> None:
        needs(tokens, "[CLS]", "[SEP]", "[MASK]")
        if not 0 < share <= 1:
            raise ValueError(f"share must lie in (0, 1], got {share}")
        self.first, self.last, self.mask = map(tokens.id, ("[CLS]", "[SEP]", "[MASK]"))
        self.tokens, self.share = tokens, share
        self.special = torch.tensor([tokens.id(name) for name in tokens.special])
        every = torch.arange(len(tokens))
        self.words = every[self.may(every)]

    def may(self, ids: Int[Tensor, "*T"]) -> Bool[Tensor, "*T"]:
        """Which of these ids may be chosen: all but special tokens."""
        return ~torch.isin(ids, self.special.to(ids.device))

    def windows(self, ids: Int[Tensor, " N"], length: int, stride: int | None = None) -> Tensor:
        """Windows of a running text, ``length`` tokens long with [CLS] and [SEP].

        They are a view ``(windows, length - 2)``, adjacent unless ``stride`` gives the distance
        between their starts. Raises ``ValueError`` if the text or the length is too short.
        """
        inner = length - 2
        if inner < 1:
            raise ValueError(f"training.window must be at least 3 for masked words, got {length}")
        if len(ids) < inner:
            raise ValueError(f"ids must have at least window - 2 = {inner} tokens, got {len(ids)}")
        return ids.unfold(0, inner, inner if stride is None else stride)

    def __call__(
        self,
        windows: Int[Tensor, "B W"],
        masked: float = 0.8,
        random: float = 0.1,
        generator: torch.Generator | None = None,
    ) -> Batch:
        """A training batch: the model's input, the original ids, and where predictions count.

        ``masked``, ``random`` and ``generator`` are as in :func:`~tfcourse.batching.mask_words`.
        """
        first, last = (windows.new_full((len(windows), 1), i) for i in (self.first, self.last))
        ids = torch.cat([first, windows, last], dim=1)  # (B, T)
        corrupted, chosen = mask_words(
            ids, self.may(ids), mask=self.mask, words=self.words, share=self.share, masked=masked,
            random=random, generator=generator,
        )  # fmt: skip
        return corrupted, ids, chosen

    def for_test(self, windows: Int[Tensor, "B W"]) -> Batch:
        """15 % of the words, whatever the fraction in training; all [MASK], always the same."""
        usual = Hide(self.tokens, 0.15)
        return usual(windows, 1.0, 0.0, torch.Generator().manual_seed(HELD_OUT_SEED))


@dataclass(frozen=True)
class MaskedWord:
    """The loss of an encoder on a batch ``(corrupted, ids, chosen)``, each ``(B, T)``.

    ``smoothing`` is as in :func:`~tfcourse.training.label_smoothed_loss`.
    """

    smoothing: float = 0.0

    def __call__(self, model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
        """Mean over the chosen words, and their number."""
        corrupted, ids, chosen = batch
        logits = model(corrupted, places=chosen, predict="words").logits  # (n, V)
        return label_smoothed_loss(logits, ids[chosen], self.smoothing)


@dataclass(frozen=True)
class Guesses:
    """The most likely word at each position and the original one, both ``(n,)``.

    ``loss`` is the mean of -log p of the original words, in nats.
    """

    guesses: Int[Tensor, " n"]
    words: Int[Tensor, " n"]
    loss: float


@torch.no_grad()
def guess(model: nn.Module, batches: Iterable[Batch]) -> Guesses:
    """Predict every chosen word of some batches with a :class:`~tfcourse.models.bert.BERT`.

    The batches are those of :class:`MaskedWord`, and are moved to the model's device; the model is
    left in ``eval()`` mode. Raises ``ValueError`` if no word was chosen.
    """
    device = next(model.parameters()).device
    model.eval()
    said, right, total = [], [], 0.0
    for batch in batches:
        corrupted, ids, chosen = moved(batch, device)
        logits = model(corrupted, places=chosen, predict="words").logits
        mean, count = label_smoothed_loss(logits, ids[chosen])
        total += float(mean * count) if count else 0.0
        said.append(logits.argmax(-1).cpu())
        right.append(ids[chosen].cpu())
    words = torch.cat(right) if right else torch.empty(0)
    at_least_one(**{"words to guess": len(words)})
    return Guesses(torch.cat(said), words, total / len(words))
