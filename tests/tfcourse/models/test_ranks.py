"""Inputs of the wrong rank are rejected by name, even if no annotation is checked."""

import pytest
import torch
from tiny_models import ONE, TWO, V, attention, bert, documents, gpt, seq2seq, transformer, vit

from tfcourse.attention import KeyValueCache, padding_mask
from tfcourse.layers import Block, FeedForward
from tfcourse.models.classifiers import (
    HierarchicalClassifier,
    HierarchicalConfig,
    PoolingClassifier,
    PoolingConfig,
)
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.training import label_smoothed_loss, mean_loss

pytestmark = pytest.mark.usefixtures("plainly")

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
    (lambda: vit()(torch.zeros(3, 4, 4)),
     r"images must be \(B, 3, 4, 4\), got \(3, 4, 4\)"),
    (lambda: RecurrentLM(RecurrentLMConfig(V, 4))(ONE), r"tokens must be \(B, T\), got"),
    (lambda: seq2seq()(ONE, TWO),
     r"source must be \(B, T\), got"),
    (lambda: seq2seq()(TWO, ONE), r"target_in must be \(B"),
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
