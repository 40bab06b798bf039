"""Count a model's parameters and the operations of its forward pass, from outside the model.

Only matrix products are counted, which are nearly all of the work: ``(m, n)`` times ``(n, p)``
takes ``m n p`` multiplications and as many additions, so ``2 m n p`` operations. A backward pass
takes twice as many as the forward pass. Masked scores are counted too: the formula computes them
and then discards them.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from torch import nn

from tfcourse.alignment import AdditiveAttention, AttentionPooling, DotAttention
from tfcourse.arguments import one_of
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward, SwiGLU
from tfcourse.models import classifiers
from tfcourse.models.bert import BERT
from tfcourse.models.gpt import GPT
from tfcourse.models.recurrent_lm import RecurrentLM
from tfcourse.models.seq2seq import Seq2Seq
from tfcourse.models.skipgram import SkipGram
from tfcourse.models.transformer import Transformer
from tfcourse.models.vit import ViT
from tfcourse.positions import RelativePositions
from tfcourse.recurrent import Recurrent, RecurrentCell
from tfcourse.wrapped import unwrapped


def count_parameters(module: nn.Module) -> int:
    """Number of parameters of a module; a tensor that several parts share counts once."""
    return sum(p.numel() for p in module.parameters())


def product_flops(rows: int, inner: int, columns: int) -> int:
    """Operations of ``(rows, inner)`` times ``(inner, columns)``."""
    return 2 * rows * inner * columns


def attention_flops(layer: MultiHeadAttention, T: int, S: int, *, new: int | None = None) -> int:
    r"""Operations of one layer of attention for one sequence.

    .. math:: \underbrace{2TD \cdot Hd_k}_{Q}
              + \underbrace{2S'C\,(G d_k + G d_v)}_{K, V}
              + \underbrace{2TS \cdot H d_k}_{QK^\top} + \underbrace{2TS \cdot H d_v}_{A'V}
              + \underbrace{2T \cdot H d_v \cdot D}_{W_O}

    ``new`` keys, the formula's S' (default ``S``), are projected now; the others are cached.
    """
    (D, Q), (C, K) = layer.W_Q.shape, layer.W_K.shape  # Q = H d_k, K = G d_k
    V, HV = layer.W_V.shape[1], layer.W_O.shape[0]  # V = G d_v, HV = H d_v
    new = S if new is None else new
    project = product_flops(T, D, Q) + product_flops(new, C, K + V) + product_flops(T, HV, D)
    look_up = product_flops(T, Q, S) + product_flops(T, S, HV)
    if isinstance(layer.positions, RelativePositions):  # each query times each distance's vector
        d_k, distances = Q // layer.num_heads, len(layer.positions.a)
        look_up += product_flops(T * layer.num_heads, d_k, distances)
    return project + look_up


def feed_forward_flops(layer: nn.Module, T: int) -> int:
    """Operations of a feed-forward layer on ``T`` tokens: two products, three if it is gated."""
    if not isinstance(layer, FeedForward | SwiGLU):
        raise TypeError(f"layer must be a FeedForward or a SwiGLU, got {type(layer).__name__}")
    D, d_ff = layer.W_1.shape
    return (3 if isinstance(layer, SwiGLU) else 2) * product_flops(T, D, d_ff)


def block_flops(block: nn.Module, T: int, *, cached: int = 0, context: int | None = None) -> int:
    """Operations of one block for one sequence.

    ``T`` tokens pass through it, after ``cached`` tokens whose keys and values are cached. If it
    has cross-attention, the other sequence is ``context`` tokens long.
    """
    if not isinstance(block, Block):
        raise TypeError(f"block must be a Block, got {type(block).__name__}")
    flops = attention_flops(block.attention, T, cached + T, new=T)
    if block.cross is not None and context is not None:
        flops += attention_flops(block.cross, T, context)
    return flops + feed_forward_flops(block.ffn, T)


def recurrent_flops(net: Recurrent, T: int) -> int:
    """Operations of a recurrent network on ``T`` tokens: ``x W + h U`` in each cell."""
    widths = [  # D + Dh, gates Dh
        (len(cell.W) + len(cell.U), cell.W.shape[1])
        for cell in net.cells
        if isinstance(cell, RecurrentCell)
    ]
    return sum(product_flops(T, *width) for width in widths)


def alignment_flops(layer: AdditiveAttention | DotAttention, T: int, S: int) -> int:
    """Operations of ``T`` states that attend to ``S`` others: scores and weighted averages."""
    if isinstance(layer, AdditiveAttention):
        (Dq, A), Dk = layer.W_a.shape, len(layer.U_a)
        # h_j U_a once for each key, s_i W_a once for each query, v_a for each pair.
        score = product_flops(S, Dk, A) + product_flops(T, Dq, A) + product_flops(T * S, A, 1)
    else:
        Dq, Dk = layer.d_query, layer.d_key
        score = product_flops(T, Dk, S) + (0 if layer.W_a is None else product_flops(T, Dq, Dk))
    return score + product_flops(T, S, Dk)


def pooling_flops(layer: AttentionPooling, S: int) -> int:
    """Operations of learned queries over ``S`` tokens: scores and weighted averages."""
    queries, met = layer.v.shape
    transform = 0 if layer.W is None else product_flops(S, layer.d_model, met)
    return transform + product_flops(queries, met, S) + product_flops(queries, S, layer.d_model)


@singledispatch
def forward_flops(model: nn.Module, batch: int, *sizes: int, **more: Any) -> int:
    """Operations of a model's forward pass over ``batch`` examples.

    ``sizes`` are a length in tokens; for two sequences both lengths, source first; for documents in
    sentences, sentences and words in each; for images nothing. GPT takes ``cached``, how many
    tokens were read before; BERT ``predict``, as its ``forward`` does, unless it has no head; and
    skip-gram ``negatives`` in place of a length: ``None`` is the full softmax. Wrappers such as
    ``torch.compile`` do not matter.

    Raises
    ------
    TypeError
        If the model is none of these.
    """
    if (inner := unwrapped(model)) is not model:
        return forward_flops(inner, batch, *sizes, **more)
    raise TypeError(f"model must be one of the course's, got {type(model).__name__}")


@forward_flops.register
def _(model: SkipGram, batch: int, negatives: int | None = None) -> int:
    scored = model.config.vocab_size if negatives is None else 1 + negatives
    return batch * product_flops(1, model.config.d_model, scored)


@forward_flops.register
def _(model: RecurrentLM, batch: int, length: int) -> int:
    unembed = product_flops(length, model.config.hidden, model.config.vocab_size)
    return batch * (recurrent_flops(model.recurrent, length) + unembed)


@forward_flops.register
def _(model: GPT, batch: int, length: int, *, cached: int = 0) -> int:
    c = model.config
    blocks = sum(block_flops(block, length, cached=cached) for block in model.blocks)
    return batch * (blocks + product_flops(length, c.d_model, c.vocab_size))


@forward_flops.register
def _(model: BERT, batch: int, length: int, *, predict: str | None = None) -> int:
    D, V = model.config.d_model, model.config.vocab_size
    heads = model.config.predicts
    predict = heads[0] if predict is None and heads else predict
    if heads or predict is not None:
        one_of(heads, predict=predict)
    if predict is None:
        head = 0
    elif predict == "words":
        head = product_flops(length, D, D) + product_flops(length, D, V)
    else:
        answers = 2 if predict == "next" else model.config.classes
        head = product_flops(1, D, D) + product_flops(1, D, answers)
        if model.config.pooled == "mean":
            head += product_flops(1, length, D)
    return batch * (sum(block_flops(block, length) for block in model.blocks) + head)


@forward_flops.register
def _(model: Seq2Seq, batch: int, S: int, T: int) -> int:
    flops = recurrent_flops(model.encoder, S) + recurrent_flops(model.decoder, T)
    if model.W_s is not None:
        parts, num_layers, both, Dh = model.W_s.shape
        flops += product_flops(parts * num_layers, both, Dh)
    if model.attention is not None:
        flops += alignment_flops(model.attention, T, S) + product_flops(T, *model.W_t.shape)
    return batch * (flops + product_flops(T, *model.W_U.shape))


@forward_flops.register
def _(model: Transformer, batch: int, S: int, T: int) -> int:
    encoder = sum(block_flops(block, S) for block in model.encoder)
    decoder = sum(block_flops(block, T, context=S) for block in model.decoder)
    unembed = product_flops(T, model.config.d_model, model.config.writes)
    return batch * (encoder + decoder + unembed)


@forward_flops.register
def _(model: classifiers.PoolingClassifier, batch: int, length: int) -> int:
    read = 0 if model.gru is None else recurrent_flops(model.gru, length)
    mean = product_flops(1, length, len(model.W))  # the weights' row times the words
    pool = mean if model.pool is None else pooling_flops(model.pool, length)
    return batch * (read + pool + product_flops(1, *model.W.shape))


@forward_flops.register
def _(model: classifiers.HierarchicalClassifier, batch: int, sentences: int, words: int) -> int:
    lower = recurrent_flops(model.word_gru, words) + pooling_flops(model.word_pool, words)
    upper = recurrent_flops(model.sentence_gru, sentences)
    upper += pooling_flops(model.sentence_pool, sentences)
    return batch * (sentences * lower + upper + product_flops(1, *model.W.shape))


@forward_flops.register
def _(model: classifiers.TransformerClassifier, batch: int, length: int) -> int:
    D, classes = model.W.shape
    T = length if model.c is None else 1 + length
    pool = product_flops(1, T, D) if model.c is None else 0
    blocks = sum(block_flops(block, T) for block in model.blocks)
    return batch * (blocks + pool + product_flops(1, D, classes))


@forward_flops.register
def _(model: ViT, batch: int) -> int:
    c = model.config
    cut_and_embed = product_flops(c.patches, c.channels * c.patch**2, c.d_model)
    blocks = sum(block_flops(block, c.patches + 1) for block in model.blocks)
    return batch * (cut_and_embed + blocks + product_flops(1, c.d_model, c.classes))
