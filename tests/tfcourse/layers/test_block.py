"""The block against PyTorch's encoder and decoder layers, and against the lectures' equations."""

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from peers import TOLERANCE, assert_same, draw
from torch import nn

from tfcourse.attention import KeyValueCache, MultiHeadAttention, causal_mask, padding_mask
from tfcourse.layers import Block, FeedForward, LayerNorm, RMSNorm, SwiGLU
from tfcourse.positions import RotaryPositions
from tfcourse.properties import (
    assert_causal,
    assert_gradients_reach_every_parameter,
    assert_padding_invariant,
    assert_same_in_train_and_eval,
    assert_shapes,
    assert_shift_invariant,
    assert_stateless,
)

lengths = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
D, H, FF = 8, 2, 12
#: The vectors of the keys: they cannot be seen, so no gradient reaches them.
UNSEEN = ["b_K"]


def build(norm="pre", *, cross=False, dtype=torch.float32, seed=0, activation="relu", **choices):
    attention = MultiHeadAttention(D, H, positions=choices.pop("positions", None))
    other = MultiHeadAttention(D, H) if cross else None
    ffn = FeedForward(D, FF, activation)
    return layout.scramble(Block(attention, ffn, norm, cross=other, **choices).to(dtype), seed)


def draw_lengths(seed, B, S):
    return torch.randint(1, S + 1, (B,), generator=torch.Generator().manual_seed(seed))


@settings(max_examples=60, deadline=None)
@given(B=lengths, T=lengths, S=lengths, seed=seeds, dtype=st.sampled_from(list(TOLERANCE)),
       norm=st.sampled_from(["pre", "post"]), activation=st.sampled_from(["relu", "gelu"]),
       cross=st.booleans(), causal=st.booleans(), padded=st.booleans(), fused=st.booleans(),
       eps=st.sampled_from([1e-5, 1e-2]))  # fmt: skip
def test_equals_pytorchs_layers(
    B, T, S, seed, dtype, norm, activation, cross, causal, padded, fused, eps
):
    """TransformerEncoderLayer without a context, TransformerDecoderLayer with one."""
    ours = build(norm, cross=cross, dtype=dtype, seed=seed, activation=activation, eps=eps)
    kind = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    theirs = kind(
        D, H, FF, dropout=0.0, activation=activation, layer_norm_eps=eps, batch_first=True,
        norm_first=norm == "pre",
    ).to(dtype)  # fmt: skip
    names = {n.removeprefix("layer."): p for n, p in layout.block(
        ours, "layer", layout.weight).items()}  # fmt: skip
    theirs.load_state_dict(names)

    x = draw(seed + 1, dtype, B, T, D).requires_grad_()
    y = x.detach().clone().requires_grad_()
    mask = padding_mask(draw_lengths(seed, B, T), T) if padded else None
    # Theirs: True = blocked, and the same in a square for what is to come.
    blocked = None if mask is None else ~mask[:, 0]
    future = ~causal_mask(T) if causal else None
    inputs, their_inputs = [x], [y]
    if cross:
        context = draw(seed + 2, dtype, B, S, D).requires_grad_()
        theirs_context = context.detach().clone().requires_grad_()
        other = padding_mask(draw_lengths(seed + 3, B, S), S) if padded else None
        inputs, their_inputs = [x, context], [y, theirs_context]
        output, maps = ours(
            x, mask, context=context, context_mask=other, causal=causal, fused=fused
        )
        expected = theirs(
            y, theirs_context, tgt_mask=future, tgt_key_padding_mask=blocked,
            memory_key_padding_mask=None if other is None else ~other[:, 0],
        )  # fmt: skip
    else:
        output, maps = ours(x, mask, causal=causal, fused=fused)
        expected = theirs(y, src_mask=future, src_key_padding_mask=blocked)
    assert len(maps) == 1 + cross and all((m is None) == fused for m in maps)
    assert_same(output, expected)

    cotangent = draw(seed + 4, dtype, B, T, D)
    output.backward(cotangent)
    expected.backward(cotangent)
    for a, b in zip(inputs, their_inputs, strict=True):
        assert_same(a.grad, b.grad, "gradient of an input")
    gradients = {n.removeprefix("layer."): g for n, g in layout.block(
        ours, "layer", layout.gradient).items()}  # fmt: skip
    layout.assert_gradients_same(gradients, theirs, TOLERANCE[dtype])


def test_ubcs_equations_are_post_norm():
    """UBC section 5: T1 to H, step by step."""
    block, X = build("post", dtype=torch.float64), draw(1, torch.float64, 2, 5, D)
    T1 = block.attention(X)[0]
    T2 = X + T1
    T3 = F.layer_norm(T2, (D,), block.attention_norm.gain, block.attention_norm.shift)
    T4 = torch.relu(T3 @ block.ffn.W_1 + block.ffn.b_1) @ block.ffn.W_2 + block.ffn.b_2
    T5 = T4 + T3
    H_ = F.layer_norm(T5, (D,), block.ffn_norm.gain, block.ffn_norm.shift)
    assert_same(block(X)[0], H_)


def test_ucbs_equations_are_post_norm():
    """UCB: z = LayerNorm(e + SelfAttn(e)), y = LayerNorm(z + FFNN(z)).

    Its LayerNorm divides by sigma itself, without eps.
    """
    block, e = build("post", dtype=torch.float64, eps=0.0), draw(1, torch.float64, 2, 5, D)

    def layer_norm(x, norm):
        mu = x.mean(-1, keepdim=True)
        sigma = (x - mu).square().mean(-1, keepdim=True).sqrt()
        return norm.gain * (x - mu) / sigma + norm.shift

    z = layer_norm(e + block.attention(e)[0], block.attention_norm)
    y = layer_norm(z + block.ffn(z), block.ffn_norm)
    assert_same(block(e)[0], y)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_the_notes_equations(norm):
    """224N (30) and (31), once with f the attention and once with f the feed-forward layer.

    Its LN, (27) and (28), has neither gain nor bias nor eps.
    """
    block = build(
        norm, dtype=torch.float64, eps=0.0, make_norm=lambda d, eps: LayerNorm(d, eps, affine=False)
    )
    h = draw(1, torch.float64, 2, 5, D)

    def LN(h):
        return (h - h.mean(-1, keepdim=True)) / h.std(-1, unbiased=False, keepdim=True)

    for f in (lambda h: block.attention(h)[0], block.ffn):
        h = f(LN(h)) + h if norm == "pre" else LN(f(h) + h)  # (30), (31)
    assert_same(block(draw(1, torch.float64, 2, 5, D))[0], h)


def test_the_order_is_what_its_name_says():
    """The Annotated Transformer's text says post-norm where its code is pre-norm."""
    x = draw(1, torch.float64, 2, 5, D)
    pre, post = build("pre", dtype=torch.float64), build("post", dtype=torch.float64)
    post.load_state_dict(pre.state_dict())
    assert (pre(x)[0] - post(x)[0]).abs().max() > 0.1
    for block in (pre, post):
        for part in (block.attention_norm, block.ffn_norm):
            part.reset_parameters()
    # After post-norm each token has mean 0 and variance 1; after pre-norm it has not.
    assert_same(post(x)[0].mean(-1), torch.zeros(2, 5, dtype=torch.float64))
    assert pre(x)[0].mean(-1).abs().max() > 0.1


def test_pre_norm_passes_its_input_on_untouched():
    """With parts that give zero it is the identity, so gradients pass at 1."""
    block, x = build("pre"), draw(1, torch.float32, 2, 5, D)
    with torch.no_grad():
        for p in (block.attention.W_O, block.attention.b_O, block.ffn.W_2, block.ffn.b_2):
            p.zero_()
    assert torch.equal(block(x)[0], x)


class Decoder(nn.Module):
    """A block over a context that stays as it is."""

    def __init__(self, norm, fused):
        super().__init__()
        self.block, self.fused = build(norm, cross=True), fused
        self.register_buffer("context", draw(9, torch.float32, 1, 4, D))

    def forward(self, x, mask=None):
        context = self.context.expand(len(x), -1, -1)
        return self.block(x, mask, context=context, causal=True, fused=self.fused)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("fused", [False, True])
def test_its_properties(norm, fused):
    """d2l's decoder forgets its causal mask in eval mode: here it holds in both."""
    x = draw(1, torch.float32, 3, 5, D)
    decoder = Decoder(norm, fused)
    assert_causal(decoder, x)
    assert_same_in_train_and_eval(decoder, x)
    assert_stateless(decoder, x)
    assert_gradients_reach_every_parameter(decoder, x, exempt=UNSEEN)
    assert_shapes(decoder, "B T 8 -> B T 8")
    assert_padding_invariant(build(norm), x, torch.tensor([5, 2, 1]))
    assert_shift_invariant(build(norm, positions=RotaryPositions(D // H)), x)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("fused", [False, True])
def test_token_by_token_with_caches(norm, fused):
    block = build(norm, cross=True, dtype=torch.float64)
    x, context = draw(1, torch.float64, 2, 5, D), draw(2, torch.float64, 2, 4, D)
    mask = padding_mask(torch.tensor([4, 2]), 4)
    expected, _ = block(x, context=context, context_mask=mask, causal=True)
    own, others = KeyValueCache(5), KeyValueCache(4)
    with torch.no_grad():
        for t in range(5):
            out, _ = block(
                x[:, t : t + 1], context=context, context_mask=mask, causal=True, cache=own,
                context_cache=others, fused=fused,
            )  # fmt: skip
            assert_same(out, expected[:, t : t + 1])
            assert (own.length, others.length) == (t + 1, 4)


def test_a_llama_block_is_the_same_block():
    """RMSNorm, SwiGLU, rotary positions and grouped queries are choices, not another class."""
    torch.manual_seed(0)
    attention = MultiHeadAttention(
        D, 4, num_kv_heads=2, bias=False, positions=RotaryPositions(2, "halves")
    )
    block = Block(attention, SwiGLU(D, FF), "pre", make_norm=RMSNorm, eps=1e-6)
    layout.scramble(block, 0)
    x = draw(1, torch.float32, 2, 5, D)
    h = x + attention(F.rms_norm(x, (D,), block.attention_norm.gain, 1e-6), causal=True)[0]
    expected = h + block.ffn(F.rms_norm(h, (D,), block.ffn_norm.gain, 1e-6))
    assert_same(block(x, causal=True)[0], expected)
    assert_gradients_reach_every_parameter(block, x)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_dropout_falls_on_each_part_before_it_is_added(norm):
    block, x = build(norm, dropout=0.5), draw(1, torch.float32, 2, 5, D)
    torch.manual_seed(3)
    got = block(x)[0]
    torch.manual_seed(3)
    h = x
    parts = [(lambda h: block.attention(h)[0], block.attention_norm), (block.ffn, block.ffn_norm)]
    for f, ln in parts:
        h = h + F.dropout(f(ln(h)), 0.5) if norm == "pre" else ln(h + F.dropout(f(h), 0.5))
    assert_same(got, h)
    block.eval()
    assert torch.equal(block(x)[0], block(x)[0])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Block(MultiHeadAttention(8, 2), FeedForward(8), dropout=1.0), r"in \[0, 1\)"),
        (
            lambda: Block(MultiHeadAttention(8, 2), FeedForward(8), cross=MultiHeadAttention(6, 2)),
            "cross must have d_model=8, got 6",
        ),
    ],
)
def test_parts_that_do_not_go_together_are_refused(make, told):
    with pytest.raises(ValueError, match=told):
        make()


def test_an_unknown_order_is_refused(unchecked):
    with pytest.raises(ValueError, match=r"norm must be one of \['pre', 'post'\], got 'none'"):
        unchecked("tfcourse.layers").Block(MultiHeadAttention(8, 2), FeedForward(8), "none")


def test_a_context_belongs_to_a_block_that_attends_to_one():
    x = draw(1, torch.float32, 2, 5, D)
    with pytest.raises(ValueError, match="has no cross-attention, and context is given"):
        build()(x, context=x)
    with pytest.raises(ValueError, match="has a cross-attention, and context is missing"):
        build(cross=True)(x)
