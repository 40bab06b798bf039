"""Whole models, each a dataclass of sizes and one module in one file.

They are made of :mod:`tfcourse.attention`, :mod:`tfcourse.positions` and :mod:`tfcourse.layers`,
and know nothing of training. Every ``forward`` gives an :class:`~tfcourse.models.output.Output`.
A model and its config may be imported from here too; its file is loaded then.
"""

from __future__ import annotations

import importlib

#: Where each model and its config stand.
_FILES = {
    "skipgram": ("SkipGram", "SkipGramConfig"),
    "recurrent_lm": ("RecurrentLM", "RecurrentLMConfig"),
    "seq2seq": ("Seq2Seq", "Seq2SeqConfig"),
    "gpt": ("GPT", "GPTConfig"),
    "bert": ("BERT", "BERTConfig"),
    "transformer": ("Transformer", "TransformerConfig"),
    "vit": ("ViT", "ViTConfig"),
    "output": ("Output",),
}
_WHERE = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> type:
    if name in _WHERE:
        return getattr(importlib.import_module(f"tfcourse.models.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'tfcourse.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_WHERE]
