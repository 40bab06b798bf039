"""Models that a script compares must differ in nothing but what the comparison is about."""

import sys
from pathlib import Path

from coursebook.course import root
from tfcourse.attention import MultiHeadAttention

sys.path.insert(0, str(root(Path(__file__).parent) / "benchmarks"))

from encoder_or_decoder import ARMS, DROPOUT  # noqa: E402


def test_all_arms_drop_attention_weights_alike():
    for make, _ in ARMS.values():
        model = make(20, dropout=DROPOUT)
        layers = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
        assert layers and {layer.dropout for layer in layers} == {DROPOUT}
