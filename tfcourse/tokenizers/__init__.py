"""Tokenizers: text to ids and back, by characters, by words, and by byte pairs.

All three are used in the same way, and all three write the JSON format of Hugging Face's
``tokenizers``. A text never has the ids of special tokens, ``<unk>`` aside: one that contains
``<s>`` has these three characters, not the start of a sequence.
"""

from tfcourse.tokenizers.base import Tokenizer
from tfcourse.tokenizers.bpe import BPETokenizer
from tfcourse.tokenizers.characters import CharTokenizer
from tfcourse.tokenizers.merges import apply_merges, learn_merges
from tfcourse.tokenizers.words import WordTokenizer

__all__ = [
    "BPETokenizer",
    "CharTokenizer",
    "Tokenizer",
    "WordTokenizer",
    "apply_merges",
    "learn_merges",
]
