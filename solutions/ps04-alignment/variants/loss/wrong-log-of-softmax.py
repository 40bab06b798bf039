# wrong: logarithm of the softmax
# loses: loss--large
# told: log_softmax
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.softmax(dim=-1).log()
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right[real].mean()
