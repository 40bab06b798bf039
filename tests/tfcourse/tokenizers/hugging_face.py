"""The same tokenizers, built from Hugging Face's parts."""

from __future__ import annotations

import json

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers


def train_bpe(texts, vocabulary, special):
    """Byte-level BPE with GPT-2's words."""
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    theirs.train_from_iterator(texts, trainer)
    return theirs


def train_words(texts, vocabulary, special, split, at_least):
    """Words by frequency."""
    theirs = Tokenizer(models.WordLevel(unk_token="<unk>"))
    theirs.pre_tokenizer = split()
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocabulary,
        min_frequency=at_least,
        special_tokens=list(special),
        show_progress=False,
    )
    theirs.train_from_iterator(texts, trainer)
    return theirs


def merges(theirs):
    """The pairs that it joins, in order."""
    return [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]


def assert_same_bpe(ours, theirs):
    """The same merges in the same order, and the same ids."""
    assert list(ours.merges) == merges(theirs)
    assert {token: i for i, token in enumerate(ours.tokens)} == theirs.get_vocab()
