"""Multi-head attention by a loop over its heads, for reading and for tests."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from tfcourse.attention import MultiHeadAttention, affine, scaled_dot_product_attention


def multi_head_by_loop(
    layer: MultiHeadAttention,
    x: Float[Tensor, "B T D"],
    context: Float[Tensor, "B S C"] | None = None,
    mask: Bool[Tensor, "*#batch #T #S"] | None = None,
    *,
    causal: bool = False,
) -> Float[Tensor, "B T D"]:
    """The output of ``layer`` by a loop over its heads, as the lectures write it.

    Without dropout. A layer with positions, or a mask that differs
    between heads, raises ``ValueError``.
    """
    if layer.positions is not None:
        raise ValueError("layer must have no positions for the loop over heads")
    if mask is not None and mask.dim() > 3:
        raise ValueError(f"mask must be one for all heads, got shape {tuple(mask.shape)}")
    context = x if context is None else context
    b_Q, b_K, b_V = (None,) * 3 if layer.b_QKV is None else layer.b_QKV.split(layer.widths)
    H, G = layer.num_heads, layer.num_kv_heads
    d_k, d_v = layer.W_Q.shape[1] // H, layer.W_O.shape[0] // H
    outputs = []
    window = layer.window if context is x else None
    for h in range(H):
        g = h * G // H  # the group of keys and values that head h shares
        columns, k_columns = slice(h * d_k, (h + 1) * d_k), slice(g * d_k, (g + 1) * d_k)
        v_columns = slice(g * d_v, (g + 1) * d_v)
        q = affine(x, layer.W_Q[:, columns], _part(b_Q, columns))
        k = affine(context, layer.W_K[:, k_columns], _part(b_K, k_columns))
        v = affine(context, layer.W_V[:, v_columns], _part(b_V, v_columns))
        q = q if layer.q_norm is None else layer.q_norm(q)
        k = k if layer.k_norm is None else layer.k_norm(k)
        output, _ = scaled_dot_product_attention(
            q, k, v, mask, causal=causal, window=window, scale=layer.scale
        )
        outputs.append(output)
    return affine(torch.cat(outputs, dim=-1), layer.W_O, layer.b_O)


def _part(b: Tensor | None, columns: slice) -> Tensor | None:
    return None if b is None else b[columns]
