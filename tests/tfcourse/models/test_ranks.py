"""Inputs of the wrong rank are rejected by name, even if no annotation is checked."""

import pytest
import torch

from tfcourse.attention import KeyValueCache, MultiHeadAttention, padding_mask
from tfcourse.layers import Block, FeedForward
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
    TransformerClassifier,
    TransformerClassifierConfig,
)
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig
from tfcourse.training import label_smoothed_loss, mean_loss

V, SIZES = 11, {"num_layers": 1, "num_heads": 1, "d_model": 8}
ONE, TWO = torch.tensor([1, 2, 3]), torch.tensor([[1, 2, 3], [4, 5, 6]])


pytestmark = pytest.mark.usefixtures("plainly")


def attention(**choices):
    return MultiHeadAttention(8, 1, **choices)


def gpt():
    return GPT(GPTConfig(V, context_length=8, **SIZES))


def transformer():
    return Transformer(
        TransformerConfig(
            V, context_length=8, num_encoder_layers=1, num_decoder_layers=1, num_heads=1, d_model=8
        )
    )


def bert(**choices):
    return BERT(BERTConfig(V, context_length=8, **SIZES, **choices))


def documents():
    return TransformerClassifier(TransformerClassifierConfig(V, classes=2, **SIZES))


SAID = [
    (lambda: attention()(torch.zeros(5, 8)),
     r"x must be \(B, T, D\), got shape \(5, 8\); x\[None\] makes a batch of one"),
    (lambda: attention()(torch.zeros(2, 3, 5, 8)), r"x must be \(B, T, D\), got shape \(2, 3, 5"),
    (lambda: attention()(torch.zeros(2, 5, 8), torch.zeros(5, 8)),
     r"context must be \(B, S, C\), got shape \(5, 8\)"),
    (lambda: Block(attention(), FeedForward(8))(torch.zeros(5, 8)), r"x must be \(B, T, D\), got"),
    (lambda: attention()(torch.zeros(5, 8), cache=KeyValueCache(9)), r"x must be \(B, T, D\)"),
    (lambda: padding_mask(torch.ones(2, 1).long(), 4), r"lengths must be \(B\), got shape \(2, 1"),
    (lambda: gpt()(ONE), r"tokens must be \(B, T\), got shape \(3,\); tokens\[None\] makes"),
    (lambda: gpt()(TWO[None]), r"tokens must be \(B, T\), got shape \(1, 2, 3\)"),
    (lambda: gpt()(TWO.float()), r"tokens must be integers, got torch.float32"),
    (lambda: transformer()(ONE, TWO), r"source must be \(B, T\), got shape \(3,\)"),
    (lambda: transformer()(TWO, ONE), r"target must be \(B, T\), got shape \(3,\)"),
    (lambda: transformer()(ONE, TWO, torch.tensor([1, 2])), r"source must be \(B, T\), got"),
    (lambda: transformer()(TWO, TWO, torch.tensor([1])),
     r"source_lengths must be \(2,\), got \(1,\)"),
    (lambda: transformer().decode(TWO, torch.zeros(3, 8)), r"memory must be \(B, S, D\), got sh"),
    (lambda: bert()(ONE), r"tokens must be \(B, T\), got shape \(3,\)"),
    (lambda: bert()(TWO, ONE), r"segments must be \(B, T\), got shape \(3,\)"),
    (lambda: bert()(TWO, None, torch.tensor([2])), r"lengths must be \(2,\), got \(1,\)"),
    (lambda: ViT(ViTConfig(2, image=4, patch=2, **SIZES))(torch.zeros(3, 4, 4)),
     r"images must be \(B, 3, 4, 4\), got \(3, 4, 4\)"),
    (lambda: RecurrentLM(RecurrentLMConfig(V, 4))(ONE), r"tokens must be \(B, T\), got"),
    (lambda: Seq2Seq(Seq2SeqConfig(V, d_model=4, d_hidden=4))(ONE, TWO),
     r"source must be \(B, T\), got"),
    (lambda: Seq2Seq(Seq2SeqConfig(V, d_model=4, d_hidden=4))(TWO, ONE), r"target_in must be \(B"),
    (lambda: SkipGram(SkipGramConfig(V, 4))(TWO), r"centre must be \(B\), got shape \(2, 3\)"),
    (lambda: documents()(ONE, torch.tensor([1])), r"tokens must be \(B, S\), got shape \(3,\)"),
    (lambda: PoolingClassifier(PoolingConfig(V, 2, 4))(ONE), r"tokens must be \(B, S\), got"),
    (lambda: HierarchicalClassifier(HierarchicalConfig(V, 2))(TWO),
     r"tokens must be \(B, N, S\), got shape \(2, 3\); tokens\[None\] makes a batch of one"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "told"), SAID, ids=range(len(SAID)))
def test_the_rank_is_refused_by_name(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_a_target_that_is_not_an_id_is_refused_by_name():
    logits = torch.zeros(2, 3, 5)
    targets = torch.tensor([[0, 1, -100], [2, -100, 4]])
    told = r"targets must lie between 0 and 4, got -100 to 4; ignore=-100 leaves out the places"
    with pytest.raises(ValueError, match=told):
        label_smoothed_loss(logits, targets)
    label_smoothed_loss(logits, targets, ignore=-100)
    with pytest.raises(ValueError, match=r"targets must lie between 0 and 4, got 0 to 5$"):
        label_smoothed_loss(logits, targets.clamp(min=0) + (targets == 4), ignore=-100)
    with pytest.raises(ValueError, match=r"targets must be integers, got torch.float32"):
        label_smoothed_loss(logits, targets.float())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (torch.tensor(1.0), r"loss must return \(mean, count\).*got Tensor \(\)"),
        (torch.ones(2), r"loss must return \(mean, count\).*got Tensor \(2,\)"),
        ((1.0, 2, 3), r"loss must return \(mean, count\).*got \(1.0, 2, 3\)"),
        (None, r"loss must return \(mean, count\).*got None"),
    ],
)
def test_a_loss_without_a_count_is_refused_by_name(given, told):
    with pytest.raises(ValueError, match=told):
        mean_loss(lambda model, batch: given, [TWO])(torch.nn.Linear(1, 1))
