# wrong: a row of -inf gives NaN
# loses: masked-attention--empty masked-attention--gradients
# told: has no softmax
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ V, weights
