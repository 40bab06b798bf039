# wrong: spreads over the V - 1 wrong words
# loses: smoothing--by-hand smoothing--values smoothing--padding smoothing--large smoothing--gradients smoothing--lowest
# told: V - 1 other words
def smoothed_loss(logits, says, epsilon, pad):
    V = logits.shape[-1]
    log_p = logits.log_softmax(-1)
    right = log_p.gather(-1, says[..., None])[..., 0]
    others = (log_p.sum(-1) - right) / (V - 1)
    return -((1 - epsilon) * right + epsilon * others)[says != pad].mean()


def lowest_loss(V, epsilon):
    if not epsilon:
        return 0.0
    return -(1 - epsilon) * math.log(1 - epsilon) - epsilon * math.log(epsilon / (V - 1))
