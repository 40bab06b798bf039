# wrong: the scores are multiplied by the mask
# loses: masked-attention--by-hand masked-attention--values masked-attention--ignored masked-attention--empty masked-attention--gradients masked-attention--inputs
# told: hidden scores become 0, or nearly so
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = (scores * mask).softmax(dim=-1)
    return weights @ V, weights
