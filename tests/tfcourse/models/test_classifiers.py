"""Document classifiers against the lectures' and the paper's formulas, and their properties."""

import pytest
import torch
import torch.nn.functional as F
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_twins import close, copies, same_as_copies, same_gradients, twin
from torch import nn

from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
    TransformerClassifier,
    TransformerClassifierConfig,
)
from tfcourse.properties import assert_gradients_reach_every_parameter, assert_stateless

V = 11
seeds = st.integers(0, 2**32 - 1)
dtypes = st.sampled_from([torch.float32, torch.float64])
POOLS = [
    {"queries": q, "hidden": hidden, "d_hidden": gru}
    for q in (0, 1, 3) for hidden in (None, 5) for gru in (None, 3) if q or not hidden
]  # fmt: skip
TRANSFORMERS = [
    {"pooled": pooled, "positions": positions}
    for pooled in ("cls", "mean") for positions in ("learned", "sinusoidal", "none")
]  # fmt: skip


def make(model, config, seed, dtype):
    return layout.scramble(model(config).to(dtype), seed).eval()


def pooling(seed=0, dtype=torch.float64, **choices):
    config = PoolingConfig(V, **{"classes": 3, "d_model": 4} | choices)
    return make(PoolingClassifier, config, seed, dtype)


def hierarchical(seed=0, dtype=torch.float64, **choices):
    sizes = {"classes": 3, "d_model": 4, "d_hidden": 3}
    return make(HierarchicalClassifier, HierarchicalConfig(V, **sizes | choices), seed, dtype)


def transformer(seed=0, dtype=torch.float64, **choices):
    sizes = {
        "classes": 3,
        "context_length": 9,
        "num_layers": 2,
        "num_heads": 2,
        "d_model": 8,
        "dropout": 0.0,
    }
    config = TransformerClassifierConfig(V, **sizes | choices)
    return make(TransformerClassifier, config, seed, dtype)


def every_flat():
    """Every classifier of documents that are one row of words."""
    return [pooling(**form) for form in POOLS] + [transformer(**form) for form in TRANSFORMERS]


def ids(*shape, seed=0):
    return torch.randint(0, V, shape, generator=torch.Generator().manual_seed(seed))


def attend(x, p, name=""):
    """Yang et al.'s (5) to (7) for each query: what is pooled, and the weights."""
    pooled, weights = [], []
    for v in p[f"{name}v"]:
        transform = f"{name}W" in p
        u = [torch.tanh(x_j @ p[f"{name}W"] + p[f"{name}b"]) if transform else x_j for x_j in x]
        r = torch.stack([u_j @ v for u_j in u])
        a = r.exp() / r.exp().sum()
        pooled.append(sum(a_j * x_j for a_j, x_j in zip(a, x, strict=True)))
        weights.append(a)
    return torch.cat(pooled), torch.stack(weights)


@settings(max_examples=80, deadline=None)
@given(form=st.sampled_from(POOLS), lengths=st.lists(st.integers(1, 5), min_size=1, max_size=3),
       seed=seeds, dtype=dtypes, fused=st.booleans())  # fmt: skip
def test_pooling_equals_the_formulas(form, lengths, seed, dtype, fused):
    ours = pooling(seed, dtype, **form).train()
    p = copies(ours, "gru")
    gru = None if ours.gru is None else twin(ours.gru)
    tokens = ids(len(lengths), max(lengths), seed=seed)
    expected, weights = [], []
    for b, n in enumerate(lengths):
        x = p["embedding.weight"][tokens[b, :n]]
        x = x if gru is None else gru(x[None])[0][0]
        if form["queries"]:
            o, a = attend(x, p, "pool.")
        else:
            o, a = sum(x) / n, torch.full((1, n), 1 / n, dtype=dtype)
        expected.append(o @ p["W"] + p["b"])
        weights.append(a)
    expected = torch.stack(expected)
    got = ours(tokens, torch.tensor(lengths), return_weights=True, fused=fused)
    close(got.logits, expected)
    (words,) = got.maps["words"]
    assert words.shape == (len(lengths), 1, max(form["queries"], 1), max(lengths))
    for b, n in enumerate(lengths):
        close(words[b, 0, :, :n], weights[b])
        assert not words[b, 0, :, n:].any()
    cotangent = torch.randn_like(expected)
    expected.backward(cotangent)
    got.logits.backward(cotangent)
    same_as_copies(ours, p)
    if gru is not None:
        same_gradients(ours.gru, gru)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), B=st.integers(1, 3), N=st.integers(1, 3), S=st.integers(1, 4), seed=seeds,
       hidden=st.sampled_from([None, 5]), dtype=dtypes, fused=st.booleans())  # fmt: skip
def test_hierarchy_equals_the_formulas(data, B, N, S, seed, hidden, dtype, fused):
    """Word by word and sentence by sentence, with GRUs of PyTorch's."""
    ours = hierarchical(seed, dtype, hidden=hidden).train()
    p = copies(ours, "word_gru", "sentence_gru")
    word_gru, sentence_gru = twin(ours.word_gru), twin(ours.sentence_gru)
    rows = st.lists(st.integers(1, S), min_size=1, max_size=N)
    documents = data.draw(st.lists(rows, min_size=B, max_size=B))
    lengths = torch.tensor([row + [0] * (N - len(row)) for row in documents])
    tokens = ids(B, N, S, seed=seed)
    got = ours(tokens, lengths, return_weights=True, fused=fused)
    (of_words,), (of_sentences,) = got.maps["words"], got.maps["sentences"]
    assert of_words.shape == (B, N, 1, S) and of_sentences.shape == (B, 1, 1, N)
    expected = []
    for b, row in enumerate(documents):
        sentences = []
        for i, n in enumerate(row):
            h, _ = word_gru(p["embedding.weight"][tokens[b, i, :n]][None])
            s, a = attend(h[0], p, "word_pool.")
            sentences.append(s)
            close(of_words[b, i, :, :n], a)
            assert not of_words[b, i, :, n:].any()
        h, _ = sentence_gru(torch.stack(sentences)[None])
        v, a = attend(h[0], p, "sentence_pool.")
        close(of_sentences[b, 0, :, : len(row)], a)
        assert not of_sentences[b, 0, :, len(row) :].any()
        expected.append(v @ p["W"] + p["b"])
    expected = torch.stack(expected)
    close(got.logits, expected)
    cotangent = torch.randn_like(expected)
    expected.backward(cotangent)
    got.logits.backward(cotangent)
    same_as_copies(ours, p)
    same_gradients(ours.word_gru, word_gru)
    same_gradients(ours.sentence_gru, sentence_gru)


@settings(max_examples=60, deadline=None)
@given(B=st.integers(1, 3), S=st.integers(1, 7), seed=seeds, dtype=dtypes, maps=st.booleans(),
       pooled=st.sampled_from(["cls", "mean"]), padded=st.booleans())  # fmt: skip
def test_transformer_equals_pytorchs_encoder(B, S, seed, dtype, maps, pooled, padded):
    ours = transformer(seed, dtype, pooled=pooled).train()
    layer = nn.TransformerEncoderLayer(
        8, 2, 32, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    theirs = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).to(dtype)
    theirs.load_state_dict(layout.stack(ours.blocks, None, "", layout.weight))
    p = copies(ours, "blocks")
    tokens, lengths = ids(B, S, seed=seed), torch.full((B,), S)
    if padded:
        lengths = torch.randint(1, S + 1, (B,), generator=torch.Generator().manual_seed(seed))
    x, cls = p["embedding.weight"][tokens], pooled == "cls"
    if cls:
        x = torch.cat([p["c"].expand(B, 1, 8), x], dim=1)
    real = torch.arange(S + cls) < lengths[:, None] + cls
    h = theirs(x + p["positions.P"][: S + cls], src_key_padding_mask=~real)
    h = h[:, 0] if cls else (h * real[..., None]).sum(1) / lengths[:, None]
    h = F.layer_norm(h, (8,), p["norm.gain"], p["norm.shift"])
    expected = h @ p["W"] + p["b"]
    got = ours(tokens, lengths if padded else None, return_weights=maps)
    close(got.logits, expected)
    if maps:
        assert [tuple(m.shape) for m in got.maps["self"]] == [(B, 2, S + cls, S + cls)] * 2
    cotangent = torch.randn_like(expected)
    expected.backward(cotangent)
    got.logits.backward(cotangent)
    if dtype == torch.float64:
        layout.assert_gradients_same(layout.stack(ours.blocks, None, "", layout.gradient), theirs)
        same_as_copies(ours, p)


@settings(max_examples=20, deadline=None)
@given(data=st.data(), S=st.integers(1, 7), seed=seeds)
def test_padding_is_not_seen(data, S, seed):
    """Documents of one word and of none among them."""
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, S), min_size=3, max_size=3)))
    tokens = ids(3, S, seed=seed)
    other = torch.where(torch.arange(S) < lengths[:, None], tokens, (tokens + 1) % V)
    for model in every_flat():
        expected = model(tokens, lengths).logits
        assert torch.equal(model(other, lengths).logits, expected)
        for b, n in enumerate(lengths.tolist()):
            if n:
                close(model(tokens[b : b + 1, :n]).logits, expected[b : b + 1])


@settings(max_examples=40, deadline=None)
@given(data=st.data(), N=st.integers(1, 4), S=st.integers(1, 4), seed=seeds)
def test_padding_of_words_and_of_sentences_is_not_seen(data, N, S, seed):
    """Sentences without words may stand between others; at the end they are padding."""
    row = st.lists(st.integers(0, S), min_size=N, max_size=N)
    lengths = torch.tensor(data.draw(st.lists(row, min_size=2, max_size=2)))
    tokens = ids(2, N, S, seed=seed)
    other = torch.where(torch.arange(S) < lengths[..., None], tokens, (tokens + 1) % V)
    model = hierarchical(seed)
    expected = model(tokens, lengths).logits
    assert torch.equal(model(other, lengths).logits, expected)
    more = F.pad(tokens, (0, 1, 0, 2)), F.pad(lengths, (0, 2))
    close(model(*more).logits, expected)
    for b in range(2):
        n = max((i + 1 for i in range(N) if lengths[b, i]), default=0)
        if n:
            close(model(tokens[b : b + 1, :n], lengths[b : b + 1, :n]).logits, expected[b : b + 1])


def test_an_empty_sentence_between_others_is_a_sentence_and_after_them_is_none():
    model, tokens = hierarchical(), ids(1, 3, 4)
    maps = model(tokens, torch.tensor([[2, 0, 4]]), return_weights=True).maps
    assert (maps["sentences"][0] > 0).all() and not maps["words"][0][0, 1].any()
    maps = model(tokens, torch.tensor([[2, 4, 0]]), return_weights=True).maps
    assert (maps["sentences"][0] > 0).flatten().tolist() == [True, True, False]


def test_a_document_without_words_is_zeros_and_makes_no_nan():
    nothing = torch.tensor([0, 2])
    for model in every_flat():
        logits = model(ids(2, 3), nothing).logits
        if isinstance(model, PoolingClassifier):
            assert torch.equal(logits[0], model.b)
        logits.square().sum().backward()
        assert logits.isfinite().all()
        assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    model = hierarchical()
    logits = model(ids(2, 2, 3), torch.tensor([[0, 0], [2, 1]])).logits
    assert torch.equal(logits[0], model.b)
    logits.square().sum().backward()
    assert all(p.grad.isfinite().all() for p in model.parameters())
    assert torch.equal(pooling()(ids(1, 0)).logits[0], pooling().b)


def test_all_words_are_weighed_alike_without_queries():
    model, tokens = pooling(queries=0), ids(2, 5)
    lengths = torch.tensor([5, 3])
    words = model(tokens, lengths, return_weights=True).maps["words"][0]
    close(words[:, 0, 0], torch.tensor([[0.2] * 5, [1 / 3] * 3 + [0] * 2], dtype=torch.float64))
    once = tokens[:1, :1]
    close(model(once).logits, model(once.expand(1, 5)).logits)  # the same word five times


@pytest.mark.parametrize("model", every_flat(), ids=lambda m: str(m.config))
def test_the_order_counts_where_something_tells_it(model):
    """Averages, with or without queries, and attention without positions know no order."""
    tokens = torch.arange(6)[None]
    lengths = torch.tensor([5])  # the padding stays where it is
    expected = model(tokens, lengths).logits
    moved = max(
        (model(tokens[:, order], lengths).logits - expected).abs().max().item()
        for order in ([4, 3, 2, 1, 0, 5], [1, 2, 3, 4, 0, 5], [0, 2, 1, 3, 4, 5])
    )
    told = getattr(model, "gru", None) is not None
    told |= getattr(model.config, "positions", "none") != "none"
    assert (moved > 1e-6) if told else (moved < 1e-12)


def test_the_hierarchy_knows_in_which_sentence_a_word_stands():
    model, words = hierarchical(), torch.arange(6)
    two, three = model(words.view(1, 2, 3)).logits, model(words.view(1, 3, 2)).logits
    assert (two - three).abs().max() > 1e-6


def test_a_gradient_reaches_every_parameter_and_nothing_is_left_behind():
    for model in every_flat():
        # b_K adds the same to all scores of a query, which the softmax does not see.
        exempt = ["b_K"] if isinstance(model, TransformerClassifier) else []
        assert_gradients_reach_every_parameter(model, ids(2, 9), exempt=exempt)
        assert_stateless(model, ids(2, 9), vocab_size=V)
    assert_gradients_reach_every_parameter(hierarchical(), ids(2, 3, 4))
    assert_stateless(hierarchical(), ids(2, 3, 4), vocab_size=V)


def test_dropout_falls_in_training_only():
    for model, tokens in (
        (pooling(dropout=0.5), ids(1, 6)),
        (hierarchical(dropout=0.5), ids(1, 2, 3)),
        (transformer(dropout=0.5), ids(1, 6)),
    ):
        assert torch.equal(model(tokens).logits, model(tokens).logits)
        model.train()
        assert not torch.equal(model(tokens).logits, model(tokens).logits)
        assert model(tokens).maps is None


@pytest.mark.parametrize(
    ("make_one", "choices", "told"),
    [
        (pooling, {"queries": -1}, "queries must be at least 0, got -1"),
        (pooling, {"queries": 0, "hidden": 4}, "hidden must be None .*, got 4"),
        (pooling, {"classes": 0}, "classes must be at least 1, got 0"),
        (pooling, {"d_hidden": 0}, "d_hidden must be at least 1, got 0"),
        (pooling, {"dropout": 1.0}, r"dropout must lie in \[0, 1\), got 1.0"),
        (hierarchical, {"hidden": 0}, "hidden must be at least 1, got 0"),
        (hierarchical, {"d_model": 0}, "d_model must be at least 1, got 0"),
        (transformer, {"pooled": "max"}, r"pooled must be one of \['cls', 'mean'\], got 'max'"),
        (transformer, {"positions": "tree"}, "positions must be one of .*got 'tree'"),
        (transformer, {"d_model": 9}, "d_model must be divisible by num_heads=2, got 9"),
        (transformer, {"activation": "tan"}, "activation must be one of .*got 'tan'"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(make_one, choices, told):
    with pytest.raises(ValueError, match=told):
        make_one(**choices)


def test_inputs_that_do_not_fit_are_refused():
    def bare(model):  # as a user has it, without the tests' shape checks
        return lambda *inputs: type(model).forward.__wrapped__(model, *inputs)

    for model in (pooling(), transformer()):
        with pytest.raises(ValueError, match="tokens must lie between 0 and 10, got 11 to 11"):
            model(torch.tensor([[V]]))
        with pytest.raises(ValueError, match="lengths must lie between 0 and S=3"):
            model(ids(1, 3), torch.tensor([4]))
        with pytest.raises(ValueError, match=r"lengths must be \(2,\), got \(1,\)"):
            bare(model)(ids(2, 3), torch.tensor([3]))
    with pytest.raises(ValueError, match="must end within the 9 learned positions"):
        transformer(pooled="mean")(ids(1, 10))
    transformer()(ids(1, 9))  # [CLS] has a place of its own
    model = hierarchical()
    with pytest.raises(ValueError, match=r"lengths must be \(2, 3\), got \(2,\)"):
        bare(model)(ids(2, 3, 4), torch.tensor([3, 3]))
    with pytest.raises(ValueError, match="lengths must lie between 0 and S=4"):
        model(ids(1, 1, 4), torch.tensor([[5]]))
    with pytest.raises(ValueError, match=r"at least one sentence and word, got \(2, 0, 4\)"):
        model(ids(2, 0, 4))
