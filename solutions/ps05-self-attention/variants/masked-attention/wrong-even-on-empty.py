# wrong: an empty row shares its weight out evenly
# loses: masked-attention--empty masked-attention--gradients
# told: shares its weight out evenly
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights @ V, weights
