# wrong: takes 100 away, which a large score outweighs
# loses: masked-attention--ignored masked-attention--empty masked-attention--gradients
# told: must outweigh any score
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = (scores - 100.0 * ~mask).softmax(dim=-1)
    return weights @ V, weights
