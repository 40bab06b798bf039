"""The encoder-only model, and its heads."""

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from rounding import assert_same
from torch import nn

from tfcourse.models.bert import BERT, HEADS, BERTConfig
from tfcourse.properties import assert_causal

V = 11
seeds = st.integers(0, 2**32 - 1)


def build(seed=0, dtype=torch.float64, **choices):
    sizes = {
        "context_length": 9,
        "num_layers": 2,
        "num_heads": 2,
        "d_model": 8,
        "d_ff": 12,
        "predicts": HEADS,
    }
    config = BERTConfig(V, **sizes | {"classes": 3, "dropout": 0.0} | choices)
    return layout.scramble(BERT(config).to(dtype), seed).eval()


def ids(B, T, seed=0, top=V):
    return torch.randint(0, top, (B, T), generator=torch.Generator().manual_seed(seed))


@settings(max_examples=40, deadline=None)
@given(B=st.integers(1, 3), T=st.integers(1, 9), seed=seeds, maps=st.booleans(),
       dtype=st.sampled_from([torch.float32, torch.float64]), causal=st.booleans())  # fmt: skip
def test_its_stack_equals_pytorchs(B, T, seed, maps, dtype, causal):
    """Embeddings are ours in both; padding is compared where there are real tokens."""
    ours = build(seed, dtype, eps=1e-5, causal=causal).train()
    layer = nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, activation="gelu", batch_first=True)
    theirs = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(dtype)
    theirs.load_state_dict(layout.stack(ours.blocks, None, "", layout.weight))
    tokens, segments = ids(B, T, seed), ids(B, T, seed + 1, top=2)
    real = torch.randint(1, T + 1, (B,), generator=torch.Generator().manual_seed(seed))
    blocked = torch.arange(T) >= real[:, None]
    x = ours.embedding(tokens) + ours.positions.P[:T] + ours.segments(segments)
    mask = torch.ones(T, T, dtype=torch.bool).triu(1) if causal else None
    expected = theirs(ours.embedding_norm(x).detach(), mask=mask, src_key_padding_mask=blocked)
    got, seen = ours.encode(tokens, segments, real, return_weights=maps)
    assert (seen is not None) == maps
    assert_same(got[~blocked], expected[~blocked], ours, "states")
    if dtype == torch.float64:
        cotangent = torch.randn_like(expected)[~blocked]
        expected[~blocked].backward(cotangent)
        got[~blocked].backward(cotangent)
        layout.assert_gradients_same(layout.stack(ours.blocks, None, "", layout.gradient), theirs)


@settings(max_examples=30, deadline=None)
@given(T=st.integers(2, 9), seed=seeds, head=st.sampled_from(HEADS))
def test_padding_is_not_seen(T, seed, head):
    model = build(seed)
    tokens, real = ids(2, T, seed), torch.tensor([T, T - 1])
    changed = tokens.clone()
    changed[1, -1] = (changed[1, -1] + 1) % V

    def answers(*inputs, **more):
        logits = model(*inputs, predict=head, **more).logits
        return logits[:, : T - 1] if head == "words" else logits

    expected = answers(tokens, lengths=real)
    assert torch.equal(answers(changed, lengths=real), expected)
    torch.testing.assert_close(answers(tokens[1:, :-1]), expected[1:], rtol=0, atol=1e-10)


def test_it_reads_both_sides_unless_it_is_told_not_to():
    tokens = ids(1, 6)
    with pytest.raises(AssertionError, match="not causal"):
        assert_causal(build(), tokens, vocab_size=V)
    assert_causal(build(causal=True), tokens, vocab_size=V)


def test_heads_answer_from_one_pass_and_the_first_is_the_default():
    model = build()
    tokens = ids(2, 5)
    x, seen = model.encode(tokens)
    assert seen is None
    shapes = {"words": (2, 5, V), "next": (2, 2), "classes": (2, 3)}
    for head, shape in shapes.items():
        logits = model(tokens, predict=head).logits
        assert logits.shape == shape
        assert torch.equal(logits, model.head(x, head))
    assert torch.equal(model(tokens).logits, model(tokens, predict="words").logits)
    assert build(predicts=("classes",))(tokens).logits.shape == (2, 3)


def test_an_encoder_alone_gives_states_and_the_pooled_vector():
    alone = build(predicts=(), pooler=True)
    whole = build(predicts=("next",))
    whole.load_state_dict(alone.state_dict() | whole.next.state_dict(prefix="next."))
    x, _ = alone.encode(ids(2, 5))
    assert torch.equal(x, whole.encode(ids(2, 5))[0])
    assert torch.equal(whole.next(alone.pool(x)), whole(ids(2, 5)).logits)
    with pytest.raises(ValueError, match="predict must name a head, and this model has none"):
        alone(ids(2, 5))
    with pytest.raises(ValueError, match="pooler must be True in the config"):
        build(predicts=()).pool(x)


@settings(max_examples=30, deadline=None)
@given(B=st.integers(1, 3), T=st.integers(1, 9), seed=seeds, share=st.floats(0, 1))
def test_words_may_be_asked_for_at_some_places_only(B, T, seed, share):
    model, tokens = build(seed), ids(B, T, seed)
    places = torch.rand(B, T, generator=torch.Generator().manual_seed(seed)) < share
    got = model(tokens, places=places).logits
    assert got.shape == (int(places.sum()), V)
    torch.testing.assert_close(got, model(tokens).logits[places], rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="places must be None unless .* got them for .classes"):
        model(tokens, predict="classes", places=places)


@settings(max_examples=30, deadline=None)
@given(T=st.integers(2, 9), seed=seeds, head=st.sampled_from(["next", "classes"]))
def test_the_mean_of_the_real_tokens_may_speak_for_the_whole(T, seed, head):
    """By hand; and as [CLS] does where there is one token."""
    model, first = build(seed, pooled="mean"), build(seed)
    tokens, real = ids(2, T, seed), torch.tensor([T, T - 1])
    x, _ = model.encode(tokens, lengths=real)
    mean = torch.stack([x[b, :n].mean(0) for b, n in enumerate(real)])
    last = getattr(model, head)
    expected = torch.tanh(mean @ model.pooler.W + model.pooler.b) @ last.W + last.b
    got = model(tokens, lengths=real, predict=head).logits
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-10)
    changed = tokens.clone()
    changed[1, -1] = (changed[1, -1] + 1) % V
    torch.testing.assert_close(
        model(changed, lengths=real, predict=head).logits, got, rtol=0, atol=1e-10
    )
    one = tokens[:, :1]
    torch.testing.assert_close(
        model(one, predict=head).logits, first(one, predict=head).logits, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("head", HEADS)
def test_only_what_the_head_needs_is_there_and_a_gradient_reaches_all_of_it(head):
    model = build(predicts=(head,))
    assert (model.pooler is None) == (head == "words")
    out = model(ids(2, 9), ids(2, 9, top=2), return_weights=True)
    assert [tuple(m.shape) for m in out.maps["self"]] == [(2, 2, 9, 9)] * 2
    out.logits.square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


@pytest.mark.parametrize("std", [0.02, 0.1])
def test_weights_start_with_the_deviation_that_was_asked_for(std):
    torch.manual_seed(0)
    model = BERT(BERTConfig(500, 64, 2, 2, 64, predicts=HEADS, std=std))
    for name, p in model.named_parameters():
        if p.dim() > 1 and p.numel() > 1000:
            assert float(p.detach().std()) == pytest.approx(std, rel=0.05), name


def test_the_paddings_embedding_is_not_trained_by_being_looked_up():
    tokens = torch.tensor([[1, 2, 0]])
    for padding, moves in ((0, False), (None, True)):
        model = build(padding=padding, predicts=("classes",))
        model(tokens).logits.sum().backward()
        assert bool(model.embedding.weight.grad[0].any()) == moves


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"d_model": 9}, "d_model must be divisible by num_heads=2, got 9"),
        ({"predicts": ("words", "mood")}, r"predicts must be some of .*got \['words', 'mood'\]"),
        ({"activation": "tan"}, "activation must be one of"),
        ({"pooled": "max"}, r"pooled must be one of \['cls', 'mean'\], got 'max'"),
        ({"classes": 0}, "classes must be at least 1, got 0"),
        ({"std": 0.0}, "std must be above 0, got 0.0"),
        ({"padding": V}, "padding must lie between 0 and 10, got 11"),
        ({"dropout": 1.5}, r"dropout must lie in \[0, 1\), got 1.5"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        build(**choices)


def test_inputs_that_do_not_fit_are_refused():
    model = build(predicts=("words",))
    with pytest.raises(ValueError, match=r"predict must be one of \['words'\], got 'next'"):
        model(ids(1, 3), predict="next")
    with pytest.raises(ValueError, match="segments must lie between 0 and 1, got 2 to 2"):
        model(ids(1, 3), torch.full((1, 3), 2))
    with pytest.raises(ValueError, match="tokens must lie between 0 and 10"):
        model(torch.tensor([[V]]))
    with pytest.raises(ValueError, match="must end within the 9 learned positions"):
        model(ids(1, 10))
