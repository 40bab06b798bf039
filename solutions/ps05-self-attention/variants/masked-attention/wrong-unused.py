# wrong: the mask is not used
# loses: masked-attention--by-hand masked-attention--values masked-attention--ignored masked-attention--empty masked-attention--gradients masked-attention--inputs
# told: get without a mask
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    return weights @ V, weights
