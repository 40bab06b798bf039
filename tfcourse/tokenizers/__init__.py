"""Tokenizers: text to ids and back, by characters, by words, and by byte pairs.

A fourth reads the vocabularies of BERT and its relatives. All have the same interface, and all
write the JSON format of Hugging Face's ``tokenizers``. Except for ``<unk>``, text is never encoded
as special tokens: ``<s>`` in a text is three characters, not the start of a sequence.
"""

from tfcourse.tokenizers.base import Tokenizer
from tfcourse.tokenizers.bpe import BPETokenizer
from tfcourse.tokenizers.characters import CharTokenizer
from tfcourse.tokenizers.merges import apply_merges, learn_merges
from tfcourse.tokenizers.wordpiece import WordPieceTokenizer
from tfcourse.tokenizers.words import WordTokenizer

__all__ = [
    "BPETokenizer",
    "CharTokenizer",
    "Tokenizer",
    "WordPieceTokenizer",
    "WordTokenizer",
    "apply_merges",
    "learn_merges",
]
