"""The decoder-only model, in all its forms."""

import math

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from rounding import assert_same
from torch import nn

from tfcourse.attention import causal_mask
from tfcourse.models.gpt import GPT, POSITIONS, GPTConfig
from tfcourse.positions import TreePositions
from tfcourse.properties import assert_causal

V = 11
seeds = st.integers(0, 2**32 - 1)
SMALL = {"context_length": 9, "num_layers": 2, "num_heads": 4, "d_model": 16}


def build(seed=0, dtype=torch.float32, **choices):
    make = GPTConfig.llama if choices.pop("llama", False) else GPTConfig
    return layout.scramble(GPT(make(V, **SMALL | choices)).to(dtype), seed).eval()


def ids(B, T, seed=0):
    return torch.randint(0, V, (B, T), generator=torch.Generator().manual_seed(seed))


@settings(max_examples=40, deadline=None)
@given(B=st.integers(1, 3), T=st.integers(1, 9), heads=st.sampled_from([1, 2, 4]), seed=seeds,
       dtype=st.sampled_from([torch.float32, torch.float64]), maps=st.booleans(),
       activation=st.sampled_from(["relu", "gelu"]))  # fmt: skip
def test_equals_pytorchs_encoder_with_a_causal_mask(B, T, heads, seed, dtype, maps, activation):
    """Embedding, positions and head are ours in both."""
    ours = build(seed, dtype, num_heads=heads, ffn=activation).train()
    layer = nn.TransformerEncoderLayer(
        16, heads, 64, dropout=0.0, activation=activation, batch_first=True, norm_first=True
    )
    theirs = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(16), enable_nested_tensor=False).to(
        dtype
    )
    theirs.load_state_dict(layout.stack(ours.blocks, ours.norm, "", layout.weight))
    tokens = ids(B, T, seed)
    E = ours.embedding.weight.detach().clone().requires_grad_()
    P = ours.positions.P.detach().clone().requires_grad_()
    expected = theirs(E[tokens] + P[:T], mask=~causal_mask(T)) @ E.T
    got = ours(tokens, return_weights=maps).logits
    assert_same(got, expected, ours, "logits")
    if dtype == torch.float64:
        cotangent = torch.randn_like(expected)
        expected.backward(cotangent)
        got.backward(cotangent)
        layout.assert_gradients_same(
            layout.stack(ours.blocks, ours.norm, "", layout.gradient), theirs
        )
        for mine, p in ((ours.embedding.weight, E), (ours.positions.P, P)):
            torch.testing.assert_close(mine.grad, p.grad, rtol=1e-9, atol=1e-9)


FORMS = [{"positions": p} for p in POSITIONS] + [
    {"llama": True, "num_kv_heads": 2}, {"llama": True, "num_kv_heads": 1, "d_k": 6, "ntk": 4.0},
    {"scale_embeddings": True, "bias": False, "tied": False},
    {"positions": "rotary_interleaved", "rotary_dim": 2}, {"qk_norm": True, "num_kv_heads": 2},
    {"llama": True, "qk_norm": True, "rotary_dim": 2},
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_token_by_token_equals_all_at_once(form):
    model = build(**form)
    tokens = ids(3, 9)
    with torch.no_grad():
        expected = model(tokens, return_weights=True)
        caches = model.new_caches()
        steps = [model(tokens[:, :4], caches=caches)]
        steps += [
            model(tokens[:, t : t + 1], caches=caches, return_weights=t == 8) for t in range(4, 9)
        ]
    got = torch.cat([s.logits for s in steps], dim=1)
    torch.testing.assert_close(got, expected.logits, rtol=0, atol=1e-5)
    last = steps[-1].maps["self"][1]
    torch.testing.assert_close(last, expected.maps["self"][1][:, :, -1:], rtol=0, atol=1e-5)


WINDOWED = [*FORMS, {"num_kv_heads": 1, "positions": "relative"}] + [
    {"positions": "rotary_halves", "num_kv_heads": 2, "rotary_scaling": scaling} | more
    for scaling, more in {
        "linear": {"rotary_factor": 2.0}, "yarn": {"rotary_factor": 2.0, "rotary_original": 4},
        "dynamic": {"rotary_factor": 2.0},
    }.items()
]  # fmt: skip


@pytest.mark.parametrize("form", WINDOWED, ids=str)
@pytest.mark.parametrize("window", [3, None])
@torch.no_grad()
def test_every_form_padded_before_the_prompt_with_a_cache_equals_each_row_alone(form, window):
    model = build(dtype=torch.float64, window=window, **form)
    tokens, lengths = ids(3, 9), [9, 5, 2]
    real = torch.arange(9) >= 9 - torch.tensor(lengths)[:, None]
    places = (real.cumsum(1) - 1).clamp(min=0)
    caches, logits = model.new_caches(), []
    for start, stop in ((0, 4), (4, 5), (5, 8), (8, 9)):
        step = model(
            tokens[:, start:stop], caches=caches, mask=real[:, :stop],
            position_ids=places[:, start:stop], return_weights=start == 4,
        )  # fmt: skip
        logits.append(step.logits)
    for row, length in enumerate(lengths):
        alone = model(tokens[row : row + 1, 9 - length :]).logits[0]
        got = torch.cat(logits, dim=1)[row, 9 - length :]
        torch.testing.assert_close(got, alone, rtol=0, atol=1e-10)


@torch.no_grad()
def test_with_dynamic_scaling_a_row_depends_on_its_batch():
    """As the documentation of the rotary positions says."""
    model = build(positions="rotary_halves", rotary_scaling="dynamic", rotary_original=4)
    tokens = ids(2, 9)
    short = tokens[:1, :4]
    alone = model(short).logits
    padded = model(tokens).logits[:1, :4]
    assert (padded - alone).abs().max() > 1e-3
    same = build(positions="rotary_halves", rotary_scaling="yarn", rotary_original=4)
    torch.testing.assert_close(same(tokens).logits[:1, :4], same(short).logits)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"mask": torch.ones(2, 1, 3).bool()}, r"mask must be \(B, S\), got shape \(2, 1, 3\)"),
        ({"mask": torch.ones(2, 4).bool()}, "mask must broadcast to"),
        ({"position_ids": torch.zeros(2, 4).long()}, r"position_ids must have shape \(2, 3\), got"),
        ({"mask": [[True] * 3] * 2}, "mask must be a tensor, got list"),
        ({"position_ids": [[0, 1, 2]] * 2}, "position_ids must be a tensor, got list"),
    ],
)
def test_a_mask_and_positions_that_do_not_fit_are_refused(given, told, plainly):
    for positions in ("learned", "rotary_halves", "none"):
        with pytest.raises(ValueError, match=told):
            build(positions=positions)(ids(2, 3), **given)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_in_both_paths(form):
    model = build(dtype=torch.float64, **form)
    explicit, fused = model(ids(2, 7), return_weights=True), model(ids(2, 7))
    assert fused.maps is None
    assert [tuple(m.shape) for m in explicit.maps["self"]] == [(2, 4, 7, 7)] * 2
    torch.testing.assert_close(explicit.logits, fused.logits, rtol=0, atol=1e-10)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_no_form_sees_a_later_token(form):
    assert_causal(build(**form, dropout=0.3), ids(2, 7), vocab_size=V, atol=1e-5)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_knows_order_or_has_none(form):
    """The last token sees the same tokens in both orders: only places can tell them apart."""
    tokens = ids(1, 6)
    other = tokens[:, [2, 0, 1, 4, 3, 5]]
    model = build(num_layers=1, dtype=torch.float64, **form)
    moved = (model(tokens).logits[:, -1] - model(other).logits[:, -1]).abs().max().item()
    assert (moved < 1e-12) == (form.get("positions") == "none")


@pytest.mark.parametrize("positions", [p for p in POSITIONS if p != "learned"])
def test_all_but_learned_positions_go_on_past_the_training_length(positions):
    assert build(positions=positions)(ids(1, 20)).logits.isfinite().all()


def test_a_gradient_reaches_every_parameter():
    for form in FORMS:
        model = build(**form)
        model(ids(2, 9)).logits.square().sum().backward()
        for name, p in model.named_parameters():
            assert p.grad is not None and p.grad.abs().sum() > 0, (form, name)


def test_it_starts_as_gpt2_does():
    torch.manual_seed(0)
    model = GPT(GPTConfig(500, 64, num_layers=8, num_heads=4, d_model=64))
    assert model.embedding.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert model.blocks[3].ffn.W_1.std().item() == pytest.approx(0.02, rel=0.05)
    for W in (model.blocks[3].ffn.W_2, model.blocks[0].attention.W_O):
        assert W.std().item() == pytest.approx(0.02 / 4, rel=0.05)
    logits, next_ones = model(ids(4, 60)).logits, ids(4, 60, seed=1)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), next_ones.flatten())
    assert loss.item() == pytest.approx(math.log(500), abs=0.1)  # as good as a blind guess


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"d_model": 18}, "d_model must be divisible by num_heads=4, got 18"),
        ({"num_kv_heads": 3}, "num_kv_heads must divide num_heads=4, got 3"),
        ({"positions": "tree"}, "positions must be one of .*got 'tree'"),
        ({"norm": "batch"}, r"norm must be one of \['layer', 'rms'\], got 'batch'"),
        ({"ffn": "sine"}, "ffn must be one of .*got 'sine'"),
        ({"ffn": "swiglu"}, 'bias must be False with ffn="swiglu"'),
        ({"context_length": 0}, "context_length must be at least 1, got 0"),
        ({"dropout": -0.1}, r"dropout must lie in \[0, 1\), got -0.1"),
        ({"positions": "rotary_halves", "d_k": 5}, "d_k must be even"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        build(**choices)


def test_inputs_that_do_not_fit_are_refused():
    model = build()
    with pytest.raises(ValueError, match="tokens must lie between 0 and 10, got 0 to 11"):
        model(torch.tensor([[0, 11]]))
    with pytest.raises(ValueError, match="must end within the 9 learned positions, it ends at 10"):
        model(ids(1, 10))
    with pytest.raises(ValueError, match="caches must be one for each of the 2 layers"):
        model(ids(1, 2), caches=model.new_caches() * 2)
    caches = model.new_caches(3)
    with pytest.raises(ValueError, match="the cache must hold 4 tokens, max_length is 3"):
        model(ids(1, 4), caches=caches)
    uneven = model.new_caches()
    model(ids(1, 2), caches=uneven)
    with pytest.raises(ValueError, match=r"all of one length, got lengths \[2, 0\]"):
        model(ids(1, 1), caches=[uneven[0], model.new_caches()[1]])


def test_its_attention_takes_trees_through_the_same_hook():
    """Positions from a parse belong to a sentence, so they are handed over, not configured."""
    torch.manual_seed(0)
    model = GPT(
        GPTConfig(11, context_length=5, num_layers=2, num_heads=2, d_model=8, positions="none")
    ).double()
    trees = [TreePositions(num_heads=2).double() for _ in model.blocks]
    for block, positions in zip(model.blocks, trees, strict=True):
        block.attention.positions = positions
        torch.nn.init.normal_(positions.w)
    tokens = torch.randint(11, (1, 5))

    def logits(parents):
        for positions in trees:
            positions.set_trees(torch.tensor([parents]))
        return model(tokens).logits

    chain, star = logits([1, 2, 3, 4, -1]), logits([4, 4, 4, 4, -1])
    assert (chain[:, 0] - star[:, 0]).abs().max() < 1e-12  # it sees itself alone
    assert (chain[:, 2] - star[:, 2]).abs().max() > 1e-6
    assert_causal(lambda ids: model(ids).logits, tokens, vocab_size=11)
