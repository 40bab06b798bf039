# wrong: the cross-entropy of PyTorch
# loses: smoothing--by-hand smoothing--values smoothing--padding smoothing--large smoothing--gradients
# told: take the call out
def smoothed_loss(logits, says, epsilon, pad):
    loss = torch.nn.functional.cross_entropy
    return loss(logits.flatten(0, 1), says.flatten(), ignore_index=pad, label_smoothing=epsilon)


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()
