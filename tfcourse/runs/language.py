"""Language models: one long text, cut into windows."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tfcourse.batching import Batches, Windows
from tfcourse.evaluation import language_model_nll
from tfcourse.presets import Preset
from tfcourse.runs.task import Task, corpora, tokenizer
from tfcourse.training import NextToken


def language_model(preset: Preset) -> Task:
    """The task of predicting the next token of a running text."""
    train, validation, test = corpora(preset)
    window = preset.training.window
    tokens = tokenizer(preset, [train.text])
    ids, held_out = (torch.tensor(tokens.encode(corpus.text)) for corpus in (train, validation))
    model = preset.model.make(vocab_size=len(tokens))

    def likelihood(model: nn.Module, ids: torch.Tensor) -> Any:
        return language_model_nll(model, ids, window, batch=preset.evaluation.batch)

    def judge(model: nn.Module) -> dict[str, Any]:
        text = test.text
        # The first token has no context and is not predicted.
        found = likelihood(model, torch.tensor(tokens.encode(text))).of(text)
        return {
            "loss": found.loss,
            "perplexity per token": found.per_token,
            "perplexity per word": found.per_word,
            "bits per byte": found.bits_per_byte,
            "tokens": found.tokens,
            "window": window,
        }

    return Task(
        model,
        Batches(Windows(ids, window, 1), preset.training.batch, seed=preset.training.seed,
                drop_last=True),
        NextToken(preset.training.smoothing),
        lambda model: likelihood(model, held_out).loss,
        judge,
        {"tokenizer": tokens},
        {"training tokens": len(ids), "vocabulary": len(tokens)},
    )  # fmt: skip
