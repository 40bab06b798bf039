# wrong: -1e-9 for -1e9
# loses: masked-attention--by-hand masked-attention--values masked-attention--ignored masked-attention--empty masked-attention--gradients masked-attention--inputs
# told: -1e-9 is not -1e9
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e-9).softmax(dim=-1)
    return weights @ V, weights
