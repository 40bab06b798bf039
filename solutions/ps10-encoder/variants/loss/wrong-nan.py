# wrong: the mean of nothing
# loses: loss--none
# told: this is 0/0
def masked_loss(logits, x, chosen):
    log_p = logits.log_softmax(dim=-1)
    each = -log_p.gather(-1, x[..., None])[..., 0]
    return each[chosen].mean()
