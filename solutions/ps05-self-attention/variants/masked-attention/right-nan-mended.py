# right: -inf, and the NaN rows filled in afterwards
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    weights = weights.masked_fill(~mask, 0.0)
    return weights @ V, weights
