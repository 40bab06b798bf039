"""Agreement: a language model of sentences, asked which form of the verb is likelier."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from tfcourse import data
from tfcourse.batching import Batches, pad
from tfcourse.data.examples import Agreement, MinimalPair
from tfcourse.evaluation import wilson
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora, grouped, id_of, needs, tokenizer
from tfcourse.tokenizers import Tokenizer
from tfcourse.training import NextToken, mean_loss

#: Of each construction, at most this many of Marvin and Linzen's pairs are judged, drawn at random.
PAIRS = 500
#: Sentences judged at once.
BATCH = 256


def agreement(preset: Preset) -> Task:
    """The task of saying what comes next in sentences, judged by the verbs' forms."""
    train, validation, _ = corpora(preset)
    texts = [_text(example.words) for example in train]
    tokens = tokenizer(preset, texts)
    needs(tokens, "pad", "start", "end")
    choice, padding = preset.training, id_of(tokens, "pad")
    model = preset.model.make(vocab_size=len(tokens))

    def collate(rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        ids, _ = pad(rows, padding)
        return ids[:, :-1], ids[:, 1:]

    def encoded(corpus: Iterable[Agreement]) -> list[list[int]]:
        return [tokens.encode(_text(e.words), start=True, end=True) for e in corpus]

    loss = NextToken(choice.smoothing, tokens.pad)
    held_out = Batches(
        encoded(validation), preset.evaluation.batch, collate=collate, shuffle=False, lengths=len
    )

    def judge(model: nn.Module) -> dict[str, Any]:
        d = preset.data
        found: dict[str, Any] = {}
        # The harder tests that the corpus has stand beside the plain one.
        for split in [s for s in data.info(d.name).splits if s.startswith("test")]:
            examples = data.load(d.name, split, **d.options)
            found[f"{d.name}, {split}"] = by_attractors(model, tokens, examples)
        for name, judged in (("linzen", by_attractors), ("marvin-linzen", by_construction)):
            try:
                examples = data.load(name, "test")
            except FileNotFoundError:
                found[name] = "not on the machine that this was measured on"
            else:
                found[name] = judged(model, tokens, examples)
        return found

    return Task(
        model,
        Batches(encoded(train), choice.batch, collate=collate, lengths=len, seed=choice.seed),
        loss,
        mean_loss(NextToken(ignore=tokens.pad), held_out),
        judge,
        {"tokenizer": tokens},
        {"training sentences": len(train), "vocabulary": len(tokens)},
    )


def by_attractors(
    model: nn.Module, tokens: Tokenizer, examples: Sequence[Agreement]
) -> dict[str, Any]:
    """How often the right form is the likelier one, by the number of attractors.

    Judged are the examples of whose words, up to the verb and with both its forms, the tokenizer
    knows every one.
    """
    known = [
        e for e in examples
        if all(word.lower() in tokens for word in (*e.words[: e.verb], e.right, e.wrong))
    ]  # fmt: skip
    pairs = [
        (_text((*e.words[: e.verb], e.right)), _text((*e.words[: e.verb], e.wrong))) for e in known
    ]
    hits = zip([e.attractors for e in known], _likelier(model, tokens, pairs), strict=True)
    return _shares(list(hits), len(examples), "attractors")


def by_construction(
    model: nn.Module, tokens: Tokenizer, pairs: Sequence[MinimalPair]
) -> dict[str, Any]:
    """How often the grammatical sentence is the likelier one, by construction.

    Judged are at most :data:`PAIRS` of each construction, of those whose words are all known.
    """
    known = defaultdict(list)
    for pair in pairs:
        if all(word in tokens for word in f"{pair.good} {pair.bad}".lower().split()):
            known[pair.condition.partition("/")[0]].append((pair.good.lower(), pair.bad.lower()))
    draw = random.Random(0)
    drawn = {name: draw.sample(some, min(PAIRS, len(some))) for name, some in known.items()}
    right = _likelier(model, tokens, [pair for some in drawn.values() for pair in some], end=True)
    names = [name for name, some in drawn.items() for _ in some]
    return _shares(list(zip(names, right, strict=True)), len(pairs), "construction")


@torch.no_grad()
def _likelier(
    model: nn.Module, tokens: Tokenizer, pairs: Sequence[tuple[str, str]], end: bool = False
) -> list[bool]:
    """Whether the first text of each pair is likelier than the second."""
    model.eval()
    device, padding = next(model.parameters()).device, id_of(tokens, "pad")
    rows = [tokens.encode(text, start=True, end=end) for pair in pairs for text in pair]
    scores = [0.0] * len(rows)
    for some, places in grouped(rows, BATCH):
        ids, _ = pad(some, padding)
        log_p = model(ids[:, :-1].to(device)).logits.cpu().log_softmax(-1)  # (B, T, V)
        each = log_p.gather(-1, ids[:, 1:, None])[..., 0]
        each = each.masked_fill(ids[:, 1:] == padding, 0.0)
        for i, total in zip(places, each.double().sum(1).tolist(), strict=True):
            scores[i] = total
    return [good > bad for good, bad in zip(scores[::2], scores[1::2], strict=True)]


def _shares(hits: list[tuple[Any, bool]], of: int, name: str) -> dict[str, Any]:
    """The share of hits in all and by kind, with intervals."""
    found: dict[str, Any] = {"covered": len(hits), "of": of}
    if not hits:
        return found

    def share(some: list[bool]) -> dict[str, Any]:
        got = wilson(sum(some), len(some))
        return {"accuracy": got.value, "95 % interval": [got.low, got.high], "n": got.n}

    found |= share([hit for _, hit in hits])
    found[f"by {name}"] = {
        str(kind): share([hit for k, hit in hits if k == kind])
        for kind in sorted({k for k, _ in hits})
    }
    return found


def _text(words: Iterable[str]) -> str:
    return " ".join(words).lower()
