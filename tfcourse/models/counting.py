"""Count a model's parameters and the operations of its forward pass.

Only matrix products are counted, which are nearly all of the work: ``(m, n)`` times ``(n, p)``
takes ``m n p`` multiplications and as many additions, so ``2 m n p`` operations. A backward pass
takes twice as many as the forward pass. Masked scores are counted too: the formula computes them
and then discards them.
"""

from __future__ import annotations

from torch import nn

from tfcourse.alignment import AdditiveAttention, AttentionPooling, DotAttention
from tfcourse.attention import MultiHeadAttention
from tfcourse.layers import Block, FeedForward, SwiGLU
from tfcourse.positions import RelativePositions
from tfcourse.recurrent import Recurrent, RecurrentCell


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
