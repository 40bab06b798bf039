# wrong: cut off from the logits
# loses: loss--gradients
# told: cut off
def sequence_loss(logits, target, pad):
    says = target[:, 1:]
    log_p = logits.detach().log_softmax(dim=-1)
    right = log_p.gather(-1, says[:, :, None])[:, :, 0]
    real = says != pad
    return -right[real].mean()
