# wrong: a plain number comes back
# loses: loss--by-hand loss--values loss--elsewhere loss--none loss--large loss--gradients
# told: through \.item
def masked_loss(logits, x, chosen):
    log_p = logits[chosen].log_softmax(dim=-1)
    each = -log_p.gather(1, x[chosen][:, None])
    return each.sum().item() / max(1, len(each))
