"""Parameters and operations by formula against what PyTorch counts while it runs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from tfcourse.flops import block_flops, count_parameters, forward_flops
from tfcourse.models.bert import BERT, HEADS, BERTConfig
from tfcourse.models.gpt import GPT, POSITIONS, GPTConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig

V = 11
sizes = st.integers(1, 7)


def counted(model, *inputs, **more):
    """What the explicit path really takes: on the fused one PyTorch counts by its own formula."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        model.eval()(*inputs, return_weights=True, **more)
    return counter.get_total_flops()


def ids(B, T):
    return torch.zeros(B, T, dtype=torch.long)


@settings(max_examples=60, deadline=None)
@given(B=sizes, T=sizes, P=st.integers(0, 5), layers=st.integers(1, 3), d_ff=sizes,
       heads=st.sampled_from([(1, 1), (2, 1), (4, 2)]), positions=st.sampled_from(POSITIONS),
       d_k=st.sampled_from([None, 2, 6]), llama=st.booleans())  # fmt: skip
def test_gpt(B, T, P, layers, d_ff, heads, positions, d_k, llama):
    form = {"ffn": "swiglu", "norm": "rms", "bias": False, "tied": False} if llama else {}
    model = GPT(GPTConfig(
        V, 16, layers, heads[0], 8, d_ff, heads[1], d_k, positions=positions, **form
    ))  # fmt: skip
    assert forward_flops(model, B, T) == counted(model, ids(B, T))
    if P:
        caches = model.new_caches()
        model(ids(B, P), caches=caches)
        assert forward_flops(model, B, T, cached=P) == counted(model, ids(B, T), caches=caches)


@settings(max_examples=30, deadline=None)
@given(B=sizes, T=sizes, d_ff=sizes, head=st.sampled_from(HEADS), classes=sizes,
       pooled=st.sampled_from(["cls", "mean"]))  # fmt: skip
def test_bert(B, T, d_ff, head, classes, pooled):
    config = BERTConfig(V, 8, 2, 2, 8, d_ff, predicts=HEADS, classes=classes, pooled=pooled)
    model = BERT(config)
    assert forward_flops(model, B, T, predict=head) == counted(model, ids(B, T), predict=head)


@settings(max_examples=30, deadline=None)
@given(B=sizes, S=sizes, T=sizes, d_ff=sizes, tied=st.booleans(),
       layers=st.tuples(st.integers(1, 3), st.integers(1, 3)))  # fmt: skip
def test_transformer(B, S, T, d_ff, tied, layers):
    model = Transformer(TransformerConfig(
        V, 13, 8, *layers, num_heads=2, d_model=8, d_ff=d_ff, shared=False, tied=tied
    ))  # fmt: skip
    assert forward_flops(model, B, S, T) == counted(model, ids(B, S), ids(B, T))


@settings(max_examples=20, deadline=None)
@given(B=sizes, across=st.integers(1, 3), patch=st.integers(1, 3), d_ff=sizes)
def test_vit(B, across, patch, d_ff):
    model = ViT(ViTConfig(5, across * patch, patch, 3, 2, 2, 8, d_ff))
    images = torch.zeros(B, 3, across * patch, across * patch)
    assert forward_flops(model, B) == counted(model, images)


@pytest.mark.parametrize(
    ("model", "config", "parameters"),
    [
        (GPT, GPTConfig(50_257), 124_439_808),
        (GPT, GPTConfig.llama(32_000, num_layers=32, num_heads=32, d_model=4096, d_ff=11_008),
         6_738_415_616),
        (BERT, BERTConfig(30_522), 109_514_298),
        (ViT, ViTConfig(1000), 86_567_656),
    ],
)  # fmt: skip
def test_the_published_models_have_as_many_parameters_as_published(model, config, parameters):
    with torch.device("meta"):
        assert count_parameters(model(config)) == parameters


def test_a_compiled_model_takes_as_many_operations():
    bert = BERT(BERTConfig(7, 5, num_layers=1, num_heads=2, d_model=8, predicts=HEADS))
    compiled, plain = (
        forward_flops(model, 2, 5, predict="next") for model in (torch.compile(bert), bert)
    )
    assert compiled == plain


def test_an_encoder_alone_takes_only_what_its_blocks_take():
    alone = BERT(BERTConfig(7, 5, num_layers=3, num_heads=2, d_model=8, predicts=()))
    assert forward_flops(alone, 2, 5) == 2 * sum(block_flops(block, 5) for block in alone.blocks)
    with pytest.raises(ValueError, match=r"predict must be one of \[\], got 'words'"):
        forward_flops(alone, 2, 5, predict="words")


def test_a_shared_parameter_counts_once():
    shared = torch.nn.Linear(3, 4, bias=False)
    assert count_parameters(torch.nn.Sequential(shared, torch.nn.Linear(4, 2), shared)) == 12 + 10
