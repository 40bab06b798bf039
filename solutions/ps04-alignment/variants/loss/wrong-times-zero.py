# wrong: padding multiplied by 0
# loses: loss--padding
# told: leave these places out
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -(right * real).sum() / real.sum()
