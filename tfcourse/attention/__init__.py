"""Attention: a soft look-up, and the masks that say what may be looked up.

Letters, here and everywhere: ``B`` batch, ``T`` queries, ``S`` keys, ``D`` model width, ``C`` width
of another sequence, ``H`` heads, ``G`` heads of keys and values, ``K`` width of queries and keys,
``Dv`` width of values. Row vectors: a token is a row, so ``Q = X W_Q``. Masks are boolean,
``True`` = may be attended to.
"""

from tfcourse.attention.alignment import AdditiveAttention, AttentionPooling, DotAttention
from tfcourse.attention.cache import KeyValueCache, RollingCache
from tfcourse.attention.dot_product import (
    average_by_scores,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
)
from tfcourse.attention.multi_head import (
    MultiHeadAttention,
    draw_matrices,
    merge_heads,
    multi_head_by_loop,
    split_heads,
)
from tfcourse.attention.self_attention import SelfAttention

__all__ = [
    "AdditiveAttention",
    "AttentionPooling",
    "DotAttention",
    "KeyValueCache",
    "MultiHeadAttention",
    "RollingCache",
    "SelfAttention",
    "average_by_scores",
    "causal_mask",
    "draw_matrices",
    "merge_heads",
    "multi_head_by_loop",
    "padding_mask",
    "scaled_dot_product_attention",
    "split_heads",
]
