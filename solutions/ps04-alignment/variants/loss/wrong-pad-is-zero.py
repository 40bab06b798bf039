# wrong: padding taken to be 0
# loses: loss--padding
# told: always 0
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != 0
    return -right[real].mean()
