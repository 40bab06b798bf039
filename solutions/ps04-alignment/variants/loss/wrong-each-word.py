# wrong: one loss for each word
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: loss for each word|loss for each sentence|shape
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right.where(real, 0.0)
