# wrong: the logarithm of a softmax
# loses: loss--large
# told: use log_softmax
def masked_loss(logits, x, chosen):
    p = logits.softmax(dim=-1).gather(-1, x[..., None])[..., 0]
    each = torch.where(chosen, -p.log(), 0.0)
    return each.sum() / chosen.sum().clamp(min=1)
