"""The recurrent encoder-decoder against the papers' formulas word by word, and its properties."""

import itertools

import pytest
import torch
import torch_layout as layout
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_twins import close, copies, same_as_copies, same_gradients, twin
from torch import nn

from tfcourse.models.recurrent_lm import CELLS
from tfcourse.models.seq2seq import ATTENTIONS, Seq2Seq, Seq2SeqConfig
from tfcourse.properties import assert_causal

V, W = 7, 9  # the source's and the target's vocabulary
seeds = st.integers(0, 2**32 - 1)
FORMS = [
    {"cell": cell, "attention": kind, "bidirectional": two, "feeding": feeding}
    for cell, kind in itertools.product(CELLS, ATTENTIONS)
    for two, feeding in itertools.product((True, False), repeat=2)
    if not (kind == "dot" and two) and (kind in ("dot", "general") or not feeding)
]  # fmt: skip
forms = st.sampled_from(FORMS)
every_form = pytest.mark.parametrize(
    "form", FORMS, ids=lambda form: "-".join(map(str, form.values()))
)


def build(seed=0, dtype=torch.float64, **choices):
    sizes = {"d_model": 4, "d_hidden": 3, "num_layers": 2}
    return layout.scramble(Seq2Seq(Seq2SeqConfig(V, W, **sizes | choices)).to(dtype), seed).eval()


def pair(B, S, T, seed=0):
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(0, V, (B, S), generator=generator)
    return source, torch.randint(0, W, (B, T), generator=generator)


def parts(state):
    return state if isinstance(state, tuple) else (state,)


def translate(model, encoder, decoder, p, source, target):
    """One sentence without padding, by the papers' formulas; the nets are PyTorch's.

    Gives the logits ``(T, V)`` and the weights ``(T, S)``.
    """
    c, kind = model.config, model.config.attention
    h, last = encoder(p["source_embedding.weight"][source][None])
    h, start = h[0], []
    for i, state in enumerate(parts(last)):  # each (layers * directions, 1, Dh)
        if c.bidirectional:
            joined = []
            for layer in range(c.num_layers):
                both = torch.cat([state[2 * layer], state[2 * layer + 1]], dim=-1)
                s_0 = both @ p["W_s"][i, layer] + p["b_s"][i, layer]
                joined.append(torch.tanh(s_0) if i == 0 else s_0)
            state = torch.stack(joined)
        start.append(state)
    state = tuple(start) if isinstance(last, tuple) else start[0]
    fed = h.new_zeros(c.d_hidden)
    logits, weights = [], []
    for word in target:
        y, s_before = p["target_embedding.weight"][word], parts(state)[0][-1, 0]
        if kind == "additive":  # e_ij = v_a . tanh(W_a s_{i-1} + U_a h_j)
            W_a, U_a, v_a = (p[f"attention.{name}"] for name in ("W_a", "U_a", "v_a"))
            e = [v_a @ torch.tanh(s_before @ W_a + h_j @ U_a) for h_j in h]
            a = torch.stack(e).exp() / torch.stack(e).exp().sum()
            context = sum(a_j * h_j for a_j, h_j in zip(a, h, strict=True))
            x = torch.cat([y, context])
        else:
            x = torch.cat([y, fed]) if c.feeding else y
        s, state = decoder(x[None, None], state)
        t = s = s[0, 0]
        if kind == "additive":
            before = torch.cat([s, y, context]) @ p["W_t"]
            t = torch.stack([torch.maximum(before[i], before[i + 1])
                             for i in range(0, len(before), 2)])  # fmt: skip
        elif kind != "none":
            query = s if kind == "dot" else s @ p["attention.W_a"]
            e = torch.stack([query @ h_j for h_j in h])
            a = e.exp() / e.exp().sum()
            context = sum(a_j * h_j for a_j, h_j in zip(a, h, strict=True))
            t = fed = torch.tanh(torch.cat([context, s]) @ p["W_t"])
        logits.append(t @ p["W_U"] + p["b_U"])
        if kind != "none":
            weights.append(a)
    return torch.stack(logits), torch.stack(weights) if weights else None


@settings(max_examples=100, deadline=None)
@given(form=forms, lengths=st.lists(st.integers(1, 4), min_size=1, max_size=3), seed=seeds,
       T=st.integers(1, 4), layers=st.integers(1, 2), fused=st.booleans(),
       dtype=st.sampled_from([torch.float32, torch.float64]))  # fmt: skip
def test_equals_the_formulas(form, lengths, seed, T, layers, fused, dtype):
    """Sentence by sentence there, padded in a batch here; forward and every gradient."""
    ours = build(seed, dtype, num_layers=layers, **form).train()
    encoder, decoder, p = twin(ours.encoder), twin(ours.decoder), copies(ours, "encoder", "decoder")
    S = max(lengths)
    source, target = pair(len(lengths), S, T, seed)
    got = ours(source, target, torch.tensor(lengths), return_weights=True, fused=fused)
    expected, weights = [], []
    for b, n in enumerate(lengths):
        logits, a = translate(ours, encoder, decoder, p, source[b, :n], target[b])
        expected.append(logits)
        weights.append(a)
    expected = torch.stack(expected)
    close(got.logits, expected, "logits")
    cross = got.maps["cross"]
    assert len(cross) == (form["attention"] != "none")
    for b, n in enumerate(lengths if cross else []):
        close(cross[0][b, 0, :, :n], weights[b], "weights")
        assert not cross[0][b, 0, :, n:].any()
    cotangent = torch.randn_like(expected)
    expected.backward(cotangent)
    got.logits.backward(cotangent)
    same_gradients(ours.encoder, encoder)
    same_gradients(ours.decoder, decoder)
    same_as_copies(ours, p)


def test_a_plain_translator_equals_two_nets_of_pytorchs():
    """Without attention, in one direction: the encoder's last state is where the decoder starts."""
    ours = build(attention="none", bidirectional=False, cell="lstm")
    source, target = pair(3, 5, 4)
    _, state = twin(ours.encoder)(nn.functional.embedding(source, ours.source_embedding.weight))
    y = nn.functional.embedding(target, ours.target_embedding.weight)
    close(ours(source, target).logits, twin(ours.decoder)(y, state)[0] @ ours.W_U + ours.b_U)


@every_form
def test_step_by_step_equals_all_at_once(form):
    model = build(**form)
    source, target = pair(3, 5, 6)
    lengths = torch.tensor([5, 2, 1])
    expected = model(source, target, lengths, return_weights=True)
    state, logits, maps = model.encode(source, lengths), [], []
    for t in range(6):
        out, state = model.step(target[:, t], state, return_weights=True)
        assert out.logits.shape == (3, W)
        logits.append(out.logits)
        maps += out.maps["cross"]
    close(torch.stack(logits, dim=1), expected.logits)
    if form["attention"] == "none":
        assert maps == expected.maps["cross"] == []
    else:
        close(torch.cat(maps, dim=2), expected.maps["cross"][0])
    part, state = model.decode(target[:, :4], model.encode(source, lengths, fused=False))
    rest, _ = model.decode(target[:, 4:], state, fused=False)
    close(torch.cat([part.logits, rest.logits], dim=1), expected.logits)
    assert part.maps is None


@every_form
def test_a_reordered_state_goes_on_as_the_rows_it_took(form):
    model = build(**form)
    source, target = pair(3, 4, 2)
    rows = torch.tensor([2, 0, 0, 1, 2])
    _, state = model.step(target[:, 0], model.encode(source, torch.tensor([4, 1, 3])))
    expected = model.step(target[:, 1], state)[0].logits[rows]
    close(model.step(target[rows, 1], state.reorder(rows))[0].logits, expected)


@settings(max_examples=60, deadline=None)
@given(form=forms, S=st.integers(1, 5), T=st.integers(1, 4), seed=seeds, fused=st.booleans(),
       data=st.data())  # fmt: skip
def test_padding_of_the_source_is_not_seen(form, S, T, seed, fused, data):
    """Sources without a word are translated too: from nothing, and without NaN."""
    model = build(seed, **form)
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, S), min_size=3, max_size=3)))
    source, target = pair(3, S, T, seed)
    other = torch.where(torch.arange(S) < lengths[:, None], source, (source + 1) % V)
    expected = model(source, target, lengths, fused=fused).logits
    assert torch.equal(model(other, target, lengths, fused=fused).logits, expected)
    expected.square().sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    for b, n in enumerate(lengths.tolist()):
        if n:
            alone = model(source[b : b + 1, :n], target[b : b + 1], fused=fused)
            close(alone.logits, expected[b : b + 1])


@pytest.mark.thorough("comparison of long texts")
@every_form
@pytest.mark.parametrize("fused", [False, True])
def test_no_word_sees_a_later_one_in_either_mode(form, fused):
    model = build(**form, dropout=0.4)
    source, target = pair(2, 4, 5)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, ids):
            return self.model(source, ids, torch.tensor([4, 2]), fused=fused)

    assert_causal(Decoder(), target, vocab_size=W)


@every_form
def test_every_word_of_the_source_is_heard_and_a_gradient_reaches_every_parameter(form):
    model = build(**form)
    source, target = pair(2, 5, 4)
    expected = model(source, target).logits
    for j in range(5):
        changed = source.clone()
        changed[:, j] = (changed[:, j] + 1) % V
        moved = (model(changed, target).logits - expected).abs().amax(dim=(1, 2))
        assert (moved > 1e-9).all()
    (expected * torch.randn_like(expected)).sum().backward()
    for name, p in model.named_parameters():
        assert p.grad is not None and p.grad.abs().max() > 1e-9, name


def test_without_attention_one_vector_of_fixed_size_is_all_that_passes():
    model = build(attention="none", cell="lstm")
    for S in (1, 9):
        state = model.encode(pair(2, S, 1)[0])
        assert [tuple(h.shape) for h in state.hidden] == [(2, 2, 3)] * 2
        assert state[1:] == (None,) * 4
    assert tuple(build().encode(pair(2, 9, 1)[0]).memory.shape) == (2, 9, 6)


def test_feeding_lets_the_decoder_know_what_it_saw():
    source, target = pair(2, 4, 3)
    expected = build(attention="general", feeding=True)
    state = expected.encode(source)
    _, state = expected.step(target[:, 0], state)
    here = expected.step(target[:, 1], state)[0].logits
    there = expected.step(target[:, 1], state._replace(fed=state.fed + 1))[0].logits
    assert (here - there).abs().max() > 1e-3


def test_maps_are_shaped_and_sum_to_one():
    source, target = pair(2, 5, 3)
    for kind in ("additive", "general"):
        out = build(attention=kind)(source, target, torch.tensor([5, 2]), return_weights=True)
        (cross,) = out.maps["cross"]
        assert cross.shape == (2, 1, 3, 5)
        close(cross.sum(-1), torch.ones_like(cross[..., 0]))
    assert build()(source, target).maps is None


def test_dropout_falls_in_training_only():
    model = build(dropout=0.4)
    source, target = pair(2, 5, 4)
    assert torch.equal(model(source, target).logits, model(source, target).logits)
    model.train()
    assert not torch.equal(model(source, target).logits, model(source, target).logits)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_it_learns_to_say_a_sentence_backwards(attention):
    torch.manual_seed(0)
    config = Seq2SeqConfig(6, d_model=16, d_hidden=32, attention=attention, bidirectional=False)
    model = Seq2Seq(config)
    source = torch.randint(1, 6, (64, 4))
    target_in = torch.cat([torch.zeros(64, 1, dtype=torch.long), source.flip(1)[:, :-1]], dim=1)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(60):
        logits = model(source, target_in).logits
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), source.flip(1).flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.4  # a blind guess has log 5 = 1.61


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"attention": "concat"}, r"attention must be one of \['none', .*\], got 'concat'"),
        ({"attention": "dot"}, 'bidirectional must be False with attention="dot"'),
        ({"feeding": True}, 'feeding must be False with attention="additive"'),
        ({"cell": "qrnn"}, "cell must be one of .*got 'qrnn'"),
        ({"d_hidden": 0}, "d_hidden must be at least 1, got 0"),
        ({"num_layers": 0}, "num_layers must be at least 1, got 0"),
        ({"dropout": -0.5}, r"dropout must lie in \[0, 1\), got -0.5"),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(choices, told):
    with pytest.raises(ValueError, match=told):
        build(**choices)


def test_inputs_that_do_not_fit_are_refused():
    model = build()
    source, target = pair(2, 4, 3)
    with pytest.raises(ValueError, match="source must lie between 0 and 6, got 7 to 7"):
        model(torch.full((2, 4), 7), target)
    with pytest.raises(ValueError, match="target_in must lie between 0 and 8, got 9 to 9"):
        model(source, torch.full((2, 3), 9))
    with pytest.raises(ValueError, match="lengths must lie between 0 and S=4"):
        model(source, target, torch.tensor([5, 1]))
    with pytest.raises(ValueError, match="at least 1 token"):
        model(source[:, :0], target)
