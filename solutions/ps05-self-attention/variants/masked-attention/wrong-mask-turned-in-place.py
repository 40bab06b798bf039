# wrong: turns the caller's mask round in place
# loses: masked-attention--inputs
# told: changes its input mask
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    hidden = mask.logical_not_()
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(hidden, lowest).softmax(dim=-1)
    weights = weights.masked_fill(hidden, 0.0)
    return weights @ V, weights
