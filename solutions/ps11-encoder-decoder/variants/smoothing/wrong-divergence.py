# wrong: takes the KL divergence, which can become 0
# loses: smoothing--by-hand smoothing--values smoothing--padding smoothing--large smoothing--lowest
# told: KL divergence
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    q = (1 - epsilon) * torch.eye(V, dtype=logits.dtype)[says] + epsilon / V
    log_p = logits.log_softmax(-1)
    return (torch.xlogy(q, q) - q * log_p).sum(-1)[says != pad].mean()


def lowest_loss(V, epsilon):
    return 0.0
