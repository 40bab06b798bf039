"""Batches of examples, in an order that a seed determines and that can be resumed.

Language models use :class:`Windows`, translators pairs with :func:`pad_pairs`, and classifiers
:func:`pad_labelled` or plain tensors. :func:`mask_words` masks words for a masked language model.
"""

from tfcourse.batching.batches import Batches
from tfcourse.batching.masking import mask_words
from tfcourse.batching.padding import pad, pad_labelled, pad_pairs
from tfcourse.batching.windows import Windows

__all__ = ["Batches", "Windows", "mask_words", "pad", "pad_labelled", "pad_pairs"]
