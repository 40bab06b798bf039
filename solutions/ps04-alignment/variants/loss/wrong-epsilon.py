# wrong: a small number added before the logarithm
# loses: loss--values loss--large
# told: it must be
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = (logits.softmax(dim=-1) + 1e-9).log()
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right[real].mean()
