# wrong: lets the even part count at padding, as it does not depend on the right word
# loses: smoothing--padding smoothing--large smoothing--gradients
# told: even part still counts
def smoothed_loss(logits, says, epsilon, pad):
    log_p, real = logits.log_softmax(-1), says != pad
    right = -log_p.gather(-1, says[..., None])[..., 0] * real
    even = -log_p.mean(-1)
    return ((1 - epsilon) * right.sum() + epsilon * even.sum()) / real.sum()


def lowest_loss(V, epsilon):
    q = torch.full((V,), epsilon / V, dtype=torch.float64)
    q[0] += 1 - epsilon
    return -torch.xlogy(q, q).sum()
