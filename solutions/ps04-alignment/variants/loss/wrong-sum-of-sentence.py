# wrong: sums averaged over the sentences
# loses: loss--by-hand loss--words loss--values loss--padding loss--large loss--gradients
# told: averaged over the sentences
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right.where(real, 0.0).sum(dim=1).mean()
