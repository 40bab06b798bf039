# wrong: takes the logarithm of a softmax
# loses: smoothing--large
# told: log_softmax
def smoothed_loss(logits, says, epsilon, pad):
    log_p = logits.softmax(-1).log()
    right = log_p.gather(-1, says[..., None])[..., 0]
    return -((1 - epsilon) * right + epsilon * log_p.mean(-1))[says != pad].mean()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()
