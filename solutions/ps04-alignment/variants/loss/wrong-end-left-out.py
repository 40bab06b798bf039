# wrong: the end of a sentence left out
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: end of a sentence|wrong|it must be
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = (says != pad) & (says != 2)
    return -right[real].mean()
