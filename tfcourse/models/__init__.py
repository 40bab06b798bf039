"""Complete models, each a config dataclass and a module in one file.

They are built from :mod:`tfcourse.attention`, :mod:`tfcourse.positions` and :mod:`tfcourse.layers`,
and do not depend on training. Every ``forward`` returns an :class:`~tfcourse.models.common.Output`.
Models and configs can also be imported from here, which loads their file.
"""

from __future__ import annotations

import importlib

#: The file that defines each model and its config.
_FILES = {
    "skipgram": ("SkipGram", "SkipGramConfig"),
    "recurrent_lm": ("RecurrentLM", "RecurrentLMConfig"),
    "seq2seq": ("Seq2Seq", "Seq2SeqConfig"),
    "gpt": ("GPT", "GPTConfig"),
    "bert": ("BERT", "BERTConfig"),
    "transformer": ("Transformer", "TransformerConfig"),
    "vit": ("ViT", "ViTConfig"),
    "common": ("Output",),
}
_WHERE = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> type:
    if name in _WHERE:
        return getattr(importlib.import_module(f"tfcourse.models.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'tfcourse.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_WHERE]
