"""Sequences of different lengths in one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor


def pad(
    sequences: Sequence[Sequence[int] | Tensor], value: int = 0
) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """Pad sequences of different lengths to the rows of one tensor; return it with the lengths.

    Rows are padded at the end with ``value``, the padding id. No sequences, or one that is not a
    row of integers, raises ``ValueError``.
    """
    if not len(sequences):
        raise ValueError("sequences must have at least one, got none")
    rows = [row if isinstance(row, Tensor) else _row(row) for row in sequences]
    for i, row in enumerate(rows):
        if row.dim() != 1 or row.is_floating_point():
            raise ValueError(
                f"sequences must be rows of ids, got {tuple(row.shape)} of {row.dtype} at index {i}"
            )
    ids = torch.nn.utils.rnn.pad_sequence(
        [row.long() for row in rows], batch_first=True, padding_value=value
    )
    return ids, torch.tensor([len(row) for row in rows])


def pad_pairs(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], value: int = 0
) -> tuple[Int[Tensor, "B S"], Int[Tensor, "B T"], Int[Tensor, " B"]]:
    """Pad pairs of sequences to the inputs of a translator: source, target and source lengths.

    Padding and errors as in :func:`pad`.
    """
    source, source_lengths = pad([source for source, _ in pairs], value)
    target, _ = pad([target for _, target in pairs], value)
    return source, target, source_lengths


def pad_labelled(
    examples: Sequence[tuple[Sequence[int], int]], value: int = 0
) -> tuple[Int[Tensor, "B T"], Int[Tensor, " B"], Int[Tensor, " B"]]:
    """Pad labelled sequences to the inputs of a classifier, tokens and lengths, and its labels.

    Padding and errors as in :func:`pad`.
    """
    tokens, lengths = pad([ids for ids, _ in examples], value)
    return tokens, lengths, torch.tensor([int(label) for _, label in examples])


def _row(sequence: Sequence[int]) -> Tensor:
    # On its own, an empty list would become a row of floats.
    return torch.tensor(sequence) if len(sequence) else torch.empty(0, dtype=torch.long)
