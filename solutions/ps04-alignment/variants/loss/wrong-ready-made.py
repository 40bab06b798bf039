# wrong: the cross-entropy of PyTorch
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: take the call out
def sequence_loss(logits, target, pad):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=pad
    )
