# wrong: sentence means averaged
# loses: loss--words loss--padding loss--large loss--gradients
# told: own mean
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    sums = right.where(real, 0.0).sum(dim=1)
    return -(sums / real.sum(dim=1)).mean()
