"""Which parameters decay, and AdamW's formula."""

import pytest
import torch
from torch import nn

from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
)
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig
from tfcourse.training import adamw, clip_gradients, parameter_groups, sgd

SIZES = {"num_layers": 2, "num_heads": 2, "d_model": 8}
MODELS = [
    GPT(GPTConfig(9, 8, **SIZES)),
    GPT(GPTConfig.llama(9, context_length=8, **SIZES)),
    GPT(GPTConfig(9, 8, positions="relative", **SIZES)),
    BERT(BERTConfig(9, 8, **SIZES, predicts=("words", "classes"))),
    Transformer(
        TransformerConfig(9, num_encoder_layers=1, num_decoder_layers=1, num_heads=2, d_model=8)
    ),
    Seq2Seq(Seq2SeqConfig(9, d_model=8, d_hidden=8, num_layers=2, cell="lstm")),
    RecurrentLM(RecurrentLMConfig(9, d_model=8)),
    ViT(ViTConfig(image=8, patch=4, channels=1, classes=3, **SIZES)),
    PoolingClassifier(PoolingConfig(9, d_model=8)),
    HierarchicalClassifier(HierarchicalConfig(9, d_model=8, d_hidden=8)),
]


def split(model, **choices):
    """The names of what decays and of what does not."""
    names = {p: name for name, p in model.named_parameters()}
    parts = {True: set(), False: set()}
    for group in parameter_groups(model, 0.1, **choices):
        assert group["weight_decay"] in (0.0, 0.1)
        for p in group["params"]:
            assert names[p] not in parts[True] | parts[False], "in two groups"
            parts[group["weight_decay"] > 0].add(names[p])
    assert parts[True] | parts[False] == set(names.values())
    return parts[True], parts[False]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_parameter_is_in_one_group_and_only_products_decay(model):
    decays, spared = split(model)
    for name in decays:
        last = name.rpartition(".")[2]
        assert last[0] in "WUVPa" or last == "weight" or name.endswith("pool.v"), f"{name} decays"
    for name in spared:
        last = name.rpartition(".")[2]
        assert last[0] in "bcv" or last in ("gain", "shift"), f"{name} does not decay"


def test_embeddings_may_be_spared():
    decays, spared = split(MODELS[0], embeddings=False)
    assert {"embedding.weight", "positions.P"} <= spared
    assert {"embedding.weight", "positions.P"} <= split(MODELS[0])[0]
    assert "blocks.0.attention.W_QKV" in decays


def test_pytorchs_own_layers_too():
    model = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3), nn.Conv1d(3, 3, 1), nn.BatchNorm1d(3))
    model.append(nn.Embedding(4, 3))
    assert split(model)[0] == {"0.weight", "2.weight", "4.weight"}
    assert split(model, embeddings=False)[0] == {"0.weight", "2.weight"}


def test_what_is_not_trained_is_in_no_group():
    model = nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    (group,) = parameter_groups(model, 0.1)
    assert [p.shape for p in group["params"]] == [(2, 2)]
    model.weight.requires_grad_(False)
    with pytest.raises(ValueError, match="model must have a parameter to train"):
        parameter_groups(model, 0.1)


def test_adamw_is_its_formula():
    torch.manual_seed(0)
    model = nn.Linear(4, 3).double()
    beta_1, beta_2, eps, decay, rate = 0.8, 0.95, 1e-6, 0.3, 0.05
    optimiser = adamw(decay, (beta_1, beta_2), eps)(model)
    for group in optimiser.param_groups:
        group["lr"] = rate
    expected = {n: [p.detach().clone(), 0.0, 0.0] for n, p in model.named_parameters()}
    for step in range(1, 6):
        for name, p in model.named_parameters():
            g = p.grad = torch.randn_like(p)
            theta, m, v = expected[name]
            m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g**2
            way = (m / (1 - beta_1**step)) / ((v / (1 - beta_2**step)).sqrt() + eps)
            theta = theta - rate * (way + (decay * theta if name == "weight" else 0))
            expected[name] = [theta, m, v]
        optimiser.step()
    for name, p in model.named_parameters():
        torch.testing.assert_close(p.detach(), expected[name][0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: adamw(-1.0), "weight_decay must be at least 0, got -1.0"),
        (lambda: adamw(betas=(0.9, 1.0)), r"betas\[1\] must lie in \[0, 1\), got 1.0"),
        (lambda: adamw(eps=0), "eps must be above 0, got 0"),
        (lambda: sgd(momentum=1), r"momentum must lie in \[0, 1\), got 1"),
        (lambda: sgd(weight_decay=-1), "weight_decay must be at least 0, got -1"),
        (lambda: parameter_groups(nn.Linear(1, 1), -1), "weight_decay must be at least 0"),
    ],
)
def test_bad_arguments_are_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("length", [0.1, 1.0, 1e3])
def test_clipping_is_pytorchs(length):
    torch.manual_seed(0)
    for scale in (1e-3, 1.0, 1e3):
        given = [torch.randn(3, 4) * scale, torch.randn(5) * scale, None]
        ours, theirs = [], []
        for found in (ours, theirs):
            for g in given:
                p = torch.nn.Parameter(torch.zeros(() if g is None else g.shape))
                p.grad = None if g is None else g.clone()
                found.append(p)
        norm = clip_gradients(ours, length)
        expected = torch.nn.utils.clip_grad_norm_(theirs, length)
        torch.testing.assert_close(norm, expected)
        for a, b in zip(ours[:2], theirs[:2], strict=True):
            # theirs divides by the norm + 1e-6
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-3 if scale < 0.1 else 1e-5, atol=0)
    assert clip_gradients([torch.nn.Parameter(torch.zeros(2))], 1.0) == 0
    with pytest.raises(ValueError, match="length must be above 0, got 0"):
        clip_gradients(ours, 0)


def test_clipping_zeros_leaves_zeros():
    p = torch.nn.Parameter(torch.ones(3))
    p.grad = torch.zeros(3)
    assert clip_gradients([p], 1.0) == 0 and torch.equal(p.grad, torch.zeros(3))
