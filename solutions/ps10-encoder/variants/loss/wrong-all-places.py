# wrong: the mean over all places
# loses: loss--by-hand loss--values loss--elsewhere loss--none loss--large loss--gradients
# told: counts all places
def masked_loss(logits, x, chosen):
    log_p = logits.log_softmax(dim=-1)
    return -log_p.gather(-1, x[..., None]).mean()
