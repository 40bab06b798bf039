# right: one-hot rows, weights that sum to 1
def masked_loss(logits, x, chosen):
    V = logits.shape[-1]
    log_p = F.log_softmax(logits, dim=-1)
    each = -(F.one_hot(x, V) * log_p).sum(dim=-1)
    weights = chosen.to(logits.dtype)
    weights = weights / torch.clamp(weights.sum(), min=1.0)
    return (weights * each).sum()
