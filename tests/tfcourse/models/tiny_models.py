"""The smallest of each model, and two batches of ids, for tests of what they refuse."""

import torch

from tfcourse.attention import MultiHeadAttention
from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.classifiers import TransformerClassifier, TransformerClassifierConfig
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.seq2seq import Seq2Seq, Seq2SeqConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.models.vit import ViT, ViTConfig

V, SIZES = 11, {"num_layers": 1, "num_heads": 1, "d_model": 8}
ONE, TWO = torch.tensor([1, 2, 3]), torch.tensor([[1, 2, 3], [4, 5, 6]])


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


def seq2seq():
    return Seq2Seq(Seq2SeqConfig(V, d_model=4, d_hidden=4))


def vit():
    return ViT(ViTConfig(2, image=4, patch=2, **SIZES))
