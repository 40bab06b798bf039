"""Models that a script compares must differ in nothing but what the comparison is about."""

from tfcourse.attention import MultiHeadAttention


def test_all_arms_drop_attention_weights_alike(scripts):
    from encoder_or_decoder import ARMS, DROPOUT

    for make, _ in ARMS.values():
        model = make(20, dropout=DROPOUT)
        layers = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
        assert layers and {layer.dropout for layer in layers} == {DROPOUT}
