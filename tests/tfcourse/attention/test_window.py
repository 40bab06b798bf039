"""Sliding-window attention is attention with a banded mask, and a rolling cache matches it."""

import pytest
import torch
import torch.nn.functional as F

from tfcourse.attention import (
    KeyValueCache,
    MultiHeadAttention,
    causal_mask,
    scaled_dot_product_attention,
)
from tfcourse.generation import sample
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.positions import ALiBi, RelativePositions, RotaryPositions
from tfcourse.rolling_cache import RollingCache

POSITIONS = {
    "none": lambda: None,
    "rotary": lambda: RotaryPositions(4),
    "relative": lambda: RelativePositions(4, 3),
    "alibi": lambda: ALiBi(2),
}


def test_the_band_by_hand():
    expected = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]).bool()
    assert torch.equal(causal_mask(4, window=2), expected)
    assert torch.equal(causal_mask(2, 4, 2), expected[2:])
    assert torch.equal(causal_mask(4, window=9), causal_mask(4))


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("window", [1, 2, 5, 20])
@pytest.mark.parametrize("fused", [False, True])
def test_a_window_is_a_banded_mask(positions, window, fused):
    torch.manual_seed(0)
    slides = MultiHeadAttention(
        8, 2, num_kv_heads=1, positions=POSITIONS[positions](), window=window
    )
    full = MultiHeadAttention(8, 2, num_kv_heads=1, positions=POSITIONS[positions]())
    full.load_state_dict(slides.state_dict())
    x = torch.randn(3, 11, 8)
    i = torch.arange(11)
    band = (i[None] <= i[:, None]) & (i[None] > i[:, None] - window)
    expected, _ = full(x, mask=band, fused=fused)
    got, _ = slides(x, causal=True, fused=fused)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)
    padded = torch.arange(11) < torch.tensor([[11], [4], [1]])
    expected, _ = full(x, mask=band & padded[:, None], fused=fused)
    got, _ = slides(x, mask=padded[:, None], causal=True, fused=fused)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("window", [1, 3, 6])
@pytest.mark.parametrize("pieces", [[1] * 13, [5, 1, 1, 4, 2], [2, 11]])
@torch.no_grad()
def test_a_rolling_cache_in_pieces_equals_at_once(positions, window, pieces):
    torch.manual_seed(0)
    layer = MultiHeadAttention(8, 2, positions=POSITIONS[positions](), window=window)
    x, cache, plain = torch.randn(2, 13, 8), RollingCache(window), KeyValueCache(13)
    expected, _ = layer(x, causal=True)
    start = 0
    for size in pieces:
        piece = x[:, start : start + size]
        start += size
        for held in (cache, plain):  # the window holds with a cache that forgets nothing too
            got, _ = layer(piece, causal=True, cache=held)
            torch.testing.assert_close(got, expected[:, start - size : start], rtol=0, atol=1e-6)
        assert cache.length == start
        assert cache.held()[0].shape[-2] == min(window - 1, start)


@torch.no_grad()
def test_a_gpt_with_a_window_writes_the_same_with_and_without_a_cache():
    torch.manual_seed(0)
    model = GPT(GPTConfig(11, context_length=8, num_layers=2, num_heads=2, d_model=8, window=3,
                          positions="rotary_halves")).eval()  # fmt: skip
    for p in model.parameters():
        p.normal_(std=0.5)
    prompt = torch.randint(11, (3, 4))
    how = {"max_new_tokens": 20, "beyond": "go_on"}
    cached, plain = (
        sample(model, prompt, **how, cached=cached, generator=torch.Generator().manual_seed(0))
        for cached in (True, False)
    )
    assert torch.equal(cached.tokens, plain.tokens)
    assert len(set(cached.tokens.flatten().tolist())) > 2


def test_scale_takes_the_place_of_the_root():
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(8, 2, scale=0.3), torch.randn(2, 5, 8)
    plain = MultiHeadAttention(8, 2)
    plain.load_state_dict(layer.state_dict())
    for p in (plain.W_Q, plain.b_QKV[:8]):
        p.data *= 0.3 * 4**0.5
    for fused in (False, True):
        torch.testing.assert_close(layer(x, fused=fused)[0], plain(x)[0], rtol=0, atol=1e-6)
    q, k, v = torch.randn(3, 2, 5, 4)
    expected = F.scaled_dot_product_attention(q, k, v, scale=0.3)
    torch.testing.assert_close(scaled_dot_product_attention(q, k, v, scale=0.3)[0], expected)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: MultiHeadAttention(8, 2, window=0), "window must be at least 1, got 0"),
        (lambda: causal_mask(4, window=0), "window must be at least 1, got 0"),
        (lambda: RollingCache(0), "window must be at least 1, got 0"),
        (lambda: MultiHeadAttention(8, 2, window=2)(torch.zeros(1, 3, 8)),
         "window must be None without causal, got 2"),
        (lambda: RollingCache(2).held(), "it is empty"),
        (lambda: [c.append(torch.zeros(n, 1, 1, 4), torch.zeros(n, 1, 1, 4))
                  for c in [RollingCache(2)] for n in (2, 1)],
         r"k must have shape \(2, 1, 1, 4\), got \(1, 1, 1, 4\)"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call, told):
    with pytest.raises(ValueError, match=told):
        call()
