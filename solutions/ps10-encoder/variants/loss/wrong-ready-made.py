# wrong: calls PyTorch's cross-entropy
# loses: loss--by-hand loss--values loss--elsewhere loss--none loss--large loss--gradients
# told: writes by hand
def masked_loss(logits, x, chosen):
    labels = x.masked_fill(~chosen, -100)
    total = F.cross_entropy(logits.mT, labels, ignore_index=-100, reduction="sum")
    return total / chosen.sum().clamp(min=1)
