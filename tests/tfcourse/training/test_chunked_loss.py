"""The loss of a large batch in chunks of rows: the same numbers, and less memory."""

import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from tfcourse.training import losses

ROWS, V = 48, 37


class Made(TorchDispatchMode):
    """Notes the bytes of the largest tensor that an operation makes within."""

    def __init__(self):
        super().__init__()
        self.largest = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not func.is_view:
            made = [x.numel() * x.element_size() for x in tree_leaves(out) if torch.is_tensor(x)]
            self.largest = max([self.largest, *made])
        return out


def batch(dtype=torch.float32):
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(4, ROWS // 4, V, generator=generator)
    targets = torch.randint(V, (4, ROWS // 4), generator=generator)
    return logits.to(dtype).requires_grad_(), targets


def at_once(logits, targets, smoothing, ignore):
    return F.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), label_smoothing=smoothing,
        ignore_index=-100 if ignore is None else ignore,
    )  # fmt: skip


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 5, 16])
def test_chunks_equal_cross_entropy_in_value_and_gradient(rows, smoothing, monkeypatch):
    monkeypatch.setattr(losses, "CHUNK", rows * V)
    logits, targets = batch()
    targets[1, 3:] = 7
    ours, count = losses.label_smoothed_loss(logits, targets, smoothing)
    (found,) = torch.autograd.grad(ours, logits)
    theirs = at_once(logits, targets, smoothing, None)
    (wanted,) = torch.autograd.grad(theirs, logits)
    assert count == ROWS
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(found, wanted)


def test_what_is_ignored_counts_in_no_chunk(monkeypatch):
    monkeypatch.setattr(losses, "CHUNK", 5 * V)
    logits, targets = batch()
    targets[0] = 7  # whole chunks without a position that counts
    ours, count = losses.label_smoothed_loss(logits, targets, ignore=7)
    (found,) = torch.autograd.grad(ours, logits)
    (wanted,) = torch.autograd.grad(at_once(logits, targets, 0.0, 7), logits)
    assert count == (targets != 7).sum() < ROWS - 10
    torch.testing.assert_close(found, wanted)
    targets[2, 0] = V
    with pytest.raises(ValueError, match="targets must lie between 0 and 36, got 1 to 37"):
        losses.label_smoothed_loss(logits, targets)


def largest(chunk, monkeypatch):
    monkeypatch.setattr(losses, "CHUNK", chunk)
    logits, targets = batch(torch.bfloat16)
    with Made() as made:
        mean, _ = losses.label_smoothed_loss(logits, targets)
        mean.backward()
    return made.largest


def test_no_32_bit_tensor_of_the_whole_batch_is_made(monkeypatch):
    whole = 4 * ROWS * V
    assert largest(ROWS * V, monkeypatch) == whole
    # What is left is the gradient of the logits, in their own 16 bits.
    assert largest(5 * V, monkeypatch) == whole // 2
