"""Operations of the recurrent and pooling models by formula against what PyTorch counts."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from tfcourse.flops import forward_flops
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
    TransformerClassifier,
    TransformerClassifierConfig,
)
from tfcourse.models.recurrent_lm import CELLS, RecurrentLM, RecurrentLMConfig
from tfcourse.models.seq2seq import ATTENTIONS, Seq2Seq, Seq2SeqConfig
from tfcourse.models.skipgram import SkipGram, SkipGramConfig

V = 7
sizes = st.integers(1, 6)
cells = st.sampled_from(list(CELLS))


def matrix_vector(a_shape, b_shape, *args, out_shape=None, **more):
    """``(m, n)`` times ``(n,)``, which PyTorch's counter leaves out."""
    return 2 * a_shape[0] * a_shape[1]


def counted(function, *inputs, **more):
    """What a call really takes; the explicit path, as inside its kernels PyTorch counts nothing."""
    mapping = {torch.ops.aten.mv: matrix_vector}
    with FlopCounterMode(display=False, custom_mapping=mapping) as counter, torch.no_grad():
        function(*inputs, **more)
    return counter.get_total_flops()


def ids(*shape):
    return torch.zeros(shape, dtype=torch.long)


@settings(max_examples=20, deadline=None)
@given(B=sizes, D=sizes, N=st.integers(0, 5))
def test_skipgram(B, D, N):
    model = SkipGram(SkipGramConfig(V, D))
    assert forward_flops(model, B) == counted(model.loss, ids(B), ids(B)) == counted(model, ids(B))
    assert forward_flops(model, B, N) == counted(model.loss, ids(B), ids(B), ids(B, N))


@settings(max_examples=30, deadline=None)
@given(B=sizes, T=sizes, D=sizes, Dh=sizes, layers=st.integers(1, 3), cell=cells)
def test_recurrent_lm(B, T, D, Dh, layers, cell):
    model = RecurrentLM(RecurrentLMConfig(V, D, Dh, layers, cell))
    assert forward_flops(model, B, T) == counted(model, ids(B, T), fused=False)


@settings(max_examples=80, deadline=None)
@given(B=sizes, S=sizes, T=sizes, D=sizes, Dh=sizes, layers=st.integers(1, 3), cell=cells,
       two=st.booleans(), attention=st.sampled_from(ATTENTIONS), feeding=st.booleans())  # fmt: skip
def test_seq2seq(B, S, T, D, Dh, layers, cell, two, attention, feeding):
    model = Seq2Seq(Seq2SeqConfig(
        V, 9, D, Dh, layers, cell, two and attention != "dot", attention,
        feeding and attention in ("dot", "general"),
    ))  # fmt: skip
    assert forward_flops(model, B, S, T) == counted(model, ids(B, S), ids(B, T), fused=False)


@settings(max_examples=40, deadline=None)
@given(B=sizes, S=sizes, D=sizes, queries=st.integers(0, 3), hidden=st.none() | sizes,
       gru=st.none() | sizes)  # fmt: skip
def test_pooling(B, S, D, queries, hidden, gru):
    model = PoolingClassifier(PoolingConfig(V, 3, D, queries, hidden if queries else None, gru))
    assert forward_flops(model, B, S) == counted(model, ids(B, S), fused=False)


@settings(max_examples=30, deadline=None)
@given(B=sizes, N=sizes, S=sizes, D=sizes, Dh=sizes, hidden=st.none() | sizes)
def test_hierarchical(B, N, S, D, Dh, hidden):
    model = HierarchicalClassifier(HierarchicalConfig(V, 3, D, Dh, hidden))
    assert forward_flops(model, B, N, S) == counted(model, ids(B, N, S), fused=False)


@settings(max_examples=30, deadline=None)
@given(B=sizes, S=sizes, d_ff=sizes, pooled=st.sampled_from(["cls", "mean"]))
def test_transformer_classifier(B, S, d_ff, pooled):
    model = TransformerClassifier(
        TransformerClassifierConfig(V, 3, 8, 2, 2, 4, d_ff, pooled, dropout=0.0)
    )
    assert forward_flops(model, B, S) == counted(model, ids(B, S), return_weights=True)
