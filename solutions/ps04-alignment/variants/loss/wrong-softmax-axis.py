# wrong: softmax along the places
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: wrong axis
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right[real].mean()
