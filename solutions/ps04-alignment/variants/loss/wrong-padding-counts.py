# wrong: padding counted as words
# loses: loss--words loss--padding loss--large loss--gradients
# told: counts the padding
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right.mean()
