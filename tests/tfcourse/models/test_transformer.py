"""The encoder-decoder against nn.Transformer, and its properties."""

import math

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from rounding import assert_same
from torch import nn

from tfcourse.flops import count_parameters
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.properties import assert_causal

lengths = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)
V, W = 7, 11  # the source's and the target's vocabulary


def small(**choices):
    sizes = {
        "num_encoder_layers": 2,
        "num_decoder_layers": 2,
        "num_heads": 2,
        "d_model": 8,
        "d_ff": 12,
    }
    return TransformerConfig(V, W, **{"shared": False, "dropout": 0.0} | sizes | choices)


def build(config, seed=0, dtype=torch.float64):
    torch.manual_seed(seed)
    return layout.scramble(Transformer(config).to(dtype), seed)


def pair(B, S, T, seed=0):
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(0, V, (B, S), generator=generator)
    return source, torch.randint(0, W, (B, T), generator=generator)


def numbers(model, pick):
    """Our two stacks as nn.Transformer stores them."""
    return {
        **layout.stack(model.encoder, model.encoder_norm, "encoder.", pick),
        **layout.stack(model.decoder, model.decoder_norm, "decoder.", pick),
    }


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")  # theirs alone has that path
@settings(max_examples=50, deadline=None)
@given(B=st.integers(1, 3), S=lengths, T=lengths, heads=st.sampled_from([1, 2, 4]), seed=seeds,
       norm=st.sampled_from(["pre", "post"]), activation=st.sampled_from(["relu", "gelu"]),
       dtype=st.sampled_from([torch.float32, torch.float64]), padded=st.booleans(),
       maps=st.booleans(), layers=st.tuples(st.integers(1, 3), st.integers(1, 3)))  # fmt: skip
def test_equals_pytorchs(B, S, T, heads, seed, norm, activation, dtype, padded, maps, layers):
    """Embeddings, positions and head are ours in both; nn.Transformer has none of them.

    It always ends its stacks in a normalisation, in post-norm too.
    """
    config = small(
        num_encoder_layers=layers[0], num_decoder_layers=layers[1], num_heads=heads, norm=norm,
        final_norm=True, activation=activation,
    )  # fmt: skip
    ours = build(config, seed, dtype)
    theirs = nn.Transformer(
        8, heads, *layers, dim_feedforward=12, dropout=0.0, activation=activation,
        batch_first=True, norm_first=norm == "pre",
    ).to(dtype)  # fmt: skip
    theirs.load_state_dict(numbers(ours, layout.weight))
    E, E2 = (nn.Parameter(e.weight.detach().clone())
             for e in (ours.source_embedding, ours.target_embedding))  # fmt: skip
    source, target = pair(B, S, T, seed)
    real = torch.randint(1, S + 1, (B,), generator=torch.Generator().manual_seed(seed))
    real = real if padded else torch.full((B,), S)
    x, y = (ours.source_positions.embed(F.embedding(ids, table) * 8**0.5)
            for ids, table in ((source, E), (target, E2)))  # fmt: skip
    blocked = torch.arange(S) >= real[:, None]  # theirs says which may NOT be attended to
    expected = theirs(
        x, y, tgt_mask=torch.ones(T, T, dtype=torch.bool).triu(1),
        src_key_padding_mask=blocked, memory_key_padding_mask=blocked,
    ) @ E2.T  # fmt: skip
    got = ours(source, target, real if padded else None, return_weights=maps)
    assert (got.maps is not None) == maps
    assert_same(got.logits, expected, ours, "logits")
    if dtype == torch.float64:
        cotangent = torch.randn_like(expected)
        expected.backward(cotangent)
        got.logits.backward(cotangent)
        layout.assert_gradients_same(numbers(ours, layout.gradient), theirs)
        for table, mine in ((E, ours.source_embedding), (E2, ours.target_embedding)):
            torch.testing.assert_close(mine.weight.grad, table.grad, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("final", [True, False])
def test_the_encoder_equals_pytorchs_with_and_without_its_last_norm(norm, final):
    ours = build(small(norm=norm, final_norm=final))
    layer = nn.TransformerEncoderLayer(
        8, 2, 12, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    )
    theirs = nn.TransformerEncoder(
        layer, 2, norm=nn.LayerNorm(8) if final else None, enable_nested_tensor=False
    ).double()
    theirs.load_state_dict(layout.stack(ours.encoder, ours.encoder_norm, "", layout.weight))
    source, _ = pair(3, 5, 1)
    real = torch.tensor([5, 1, 3])
    blocked = torch.arange(5) >= real[:, None]
    x = ours.source_positions.embed(ours.source_embedding(source) * 8**0.5)
    expected = theirs(x, src_key_padding_mask=blocked)
    got, seen = ours.encode(source, real)
    assert seen is None
    torch.testing.assert_close(got[~blocked], expected[~blocked], rtol=0, atol=1e-10)


def test_a_last_norm_comes_with_pre_norm_and_not_with_post_norm():
    assert not list(build(small(norm="post")).encoder_norm.parameters())
    assert list(build(small(norm="pre")).decoder_norm.parameters())


def test_both_orders_of_the_sinusoids_are_the_same_numbers():
    alternating, halves = (
        build(small(positions=p)).source_positions.table(torch.arange(20))
        for p in ("sinusoidal", "sinusoidal_halves")
    )
    assert torch.equal(halves[:, :4], alternating[:, 0::2])
    assert torch.equal(halves[:, 4:], alternating[:, 1::2])
    sines = torch.tensor([math.sin(3 / 10_000 ** (i / 4)) for i in range(4)])
    torch.testing.assert_close(halves[3, :4], sines, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("shared", "tied", "tables"), [(True, True, 1), (True, False, 2), (False, True, 2),
                                   (False, False, 3)]
)  # fmt: skip
def test_embeddings_are_tied_each_way(shared, tied, tables):
    model = Transformer(TransformerConfig(V, d_model=8, num_heads=2, shared=shared, tied=tied))
    blocks = sum(count_parameters(stack) for stack in (model.encoder, model.decoder))
    assert count_parameters(model) == blocks + tables * V * 8
    assert (model.source_embedding is model.target_embedding) == shared
    source, _ = pair(2, 3, 1)
    model(source, source).logits.square().sum().backward()
    assert all(p.grad is not None and p.grad.any() for p in model.parameters())


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_token_by_token_equals_all_at_once(positions, norm):
    model = build(small(positions=positions, norm=norm), dtype=torch.float32).eval()
    source, target = pair(3, 5, 7)
    real = torch.tensor([5, 2, 1])
    with torch.no_grad():
        memory, _ = model.encode(source, real)
        expected = model(source, target, real, return_weights=True)
        caches = model.new_caches(7)
        steps = [model.decode(target[:, :2], memory, real, caches=caches)]
        steps += [
            model.decode(target[:, [t]], memory, real, caches=caches, return_weights=t == 6)
            for t in range(2, 7)
        ]
    got = torch.cat([s.logits for s in steps], dim=1)
    torch.testing.assert_close(got, expected.logits, rtol=0, atol=1e-5)
    for kind in ("decoder", "cross"):
        last = steps[-1].maps[kind][1]
        torch.testing.assert_close(last, expected.maps[kind][1][:, :, -1:], rtol=0, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(S=st.integers(2, 6), T=lengths, seed=seeds, norm=st.sampled_from(["pre", "post"]))
def test_padding_of_the_source_is_not_seen(S, T, seed, norm):
    model = build(small(norm=norm), seed)
    source, target = pair(2, S, T, seed)
    real = torch.tensor([S, S - 1])
    changed = source.clone()
    changed[1, -1] = (changed[1, -1] + 1) % V
    expected = model(source, target, real).logits
    assert torch.equal(model(changed, target, real).logits, expected)
    alone = model(source[1:, :-1], target[1:]).logits
    torch.testing.assert_close(alone, expected[1:], rtol=0, atol=1e-10)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_the_decoder_sees_no_later_token_in_either_mode(dropout):
    model = build(small(dropout=dropout, attention_dropout=dropout), dtype=torch.float32)
    source, target = pair(1, 4, 6)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids):
            return self.model(source, ids)

    assert_causal(Decoder(), target, vocab_size=W)


def test_maps_are_named_and_shaped():
    source, target = pair(2, 5, 3)
    maps = build(small())(source, target, return_weights=True).maps
    assert {kind: [tuple(m.shape) for m in layers] for kind, layers in maps.items()} == {
        "encoder": [(2, 2, 5, 5)] * 2, "decoder": [(2, 2, 3, 3)] * 2, "cross": [(2, 2, 3, 5)] * 2
    }  # fmt: skip
    for layers in maps.values():
        for m in layers:
            torch.testing.assert_close(m.sum(-1), torch.ones_like(m.sum(-1)))


def test_dropout_falls_in_training_only():
    model = build(small(dropout=0.4, attention_dropout=0.4))
    inputs = pair(2, 5, 4)
    assert not torch.equal(model(*inputs).logits, model(*inputs).logits)
    model.eval()
    assert torch.equal(model(*inputs).logits, model(*inputs).logits)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"d_model": 9}, "d_model must be divisible by num_heads=2, got 9"),
        ({"norm": "both"}, r"norm must be one of \['pre', 'post'\], got 'both'"),
        ({"positions": "alibi"}, "positions must be one of .*got 'alibi'"),
        ({"activation": "tan"}, "activation must be one of .*got 'tan'"),
        ({"shared": True}, "target_vocab_size must be vocab_size=7 if the embedding is shared"),
        ({"padding": 7}, "padding must lie between 0 and 6, got 7"),
        ({"dropout": 1.0}, r"dropout must lie in \[0, 1\), got 1.0"),
        ({"num_decoder_layers": 0}, "num_decoder_layers must be at least 1, got 0"),
        ({"d_model": 9, "num_heads": 3}, "d_model must be even"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        Transformer(small(**choices))


def test_inputs_that_do_not_fit_are_refused():
    model = build(small(positions="learned", context_length=4))
    source, target = pair(2, 4, 4)
    with pytest.raises(ValueError, match="target must lie between 0 and 10, got 11 to 11"):
        model(source, torch.full((2, 4), 11))
    with pytest.raises(ValueError, match="must end within the 4 learned positions"):
        model(source, pair(2, 1, 5)[1])
    with pytest.raises(ValueError, match="lengths must lie between 0 and S=4"):
        model(source, target, torch.tensor([5, 1]))
    with pytest.raises(ValueError, match="caches must be one for each of the 2 layers"):
        model.decode(target, model.encode(source)[0], caches=model.new_caches()[:1])
