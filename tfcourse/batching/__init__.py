"""Batches: examples put together, in an order that a seed fixes and that can be resumed.

A language model's come from :class:`Windows`, a translator's from pairs and :func:`pad_pairs`, a
classifier's from :func:`pad_labelled` or from tensors as they are. For an encoder that guesses
hidden words, :func:`mask_words` hides them.
"""

from tfcourse.batching.batches import Batches
from tfcourse.batching.masking import mask_words
from tfcourse.batching.padding import pad, pad_labelled, pad_pairs
from tfcourse.batching.windows import Windows

__all__ = ["Batches", "Windows", "mask_words", "pad", "pad_labelled", "pad_pairs"]
