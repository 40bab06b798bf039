# wrong: logits for log-probabilities
# loses: loss--words loss--values loss--padding loss--large loss--gradients loss--by-hand
# told: softmax is missing|wrong
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right[real].mean()
