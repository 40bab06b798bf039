"""The companion package of the course *Attention to Transformers*.

Blocks do not depend on models, models do not depend on training, and nothing depends on grading.
Each part is loaded on first use: ``import tfcourse`` alone loads nothing, not even PyTorch. The
most common names can be imported from here: ``from tfcourse import GPT, GPTConfig``.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

#: The modules that ``tfcourse.NAME`` loads.
_PARTS = (
    "alignment", "attention", "batching", "by_loop", "data", "devices", "evaluation", "flops",
    "generation", "kernels", "layers", "models", "positions", "presets", "pretrained",
    "properties", "recurrent", "rolling_cache", "runs", "tokenizers", "training",
)  # fmt: skip

#: The names that can be imported from here, by the module that defines them.
_NAMES = {
    "models": (
        "BERT", "BERTConfig", "GPT", "GPTConfig", "RecurrentLM", "RecurrentLMConfig", "Seq2Seq",
        "Seq2SeqConfig", "SkipGram", "SkipGramConfig", "Transformer", "TransformerConfig", "ViT",
        "ViTConfig",
    ),
    "attention": (
        "KeyValueCache", "MultiHeadAttention", "SelfAttention", "causal_mask", "padding_mask",
        "scaled_dot_product_attention",
    ),
    "alignment": ("AdditiveAttention", "AttentionPooling", "DotAttention"),
    "layers": ("Block", "FeedForward", "LayerNorm", "RMSNorm", "SwiGLU"),
    "positions": (
        "ALiBi", "LearnedPositions", "RelativePositions", "RotaryPositions", "SinusoidalPositions",
    ),
    "recurrent": ("GRUCell", "LSTMCell", "RNNCell", "Recurrent"),
    "generation": ("beam_search", "greedy", "sample"),
    "training": ("fit", "open_saved", "save"),
}  # fmt: skip
_WHERE = {name: part for part, names in _NAMES.items() for name in names}
__all__ = list(_WHERE)


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return importlib.import_module(f"tfcourse.{name}")
    if name in _WHERE:
        return getattr(importlib.import_module(f"tfcourse.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'tfcourse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_PARTS, *_WHERE]
