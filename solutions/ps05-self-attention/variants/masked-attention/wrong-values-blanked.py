# wrong: blanks the values instead of masking the scores
# loses: masked-attention--by-hand masked-attention--values masked-attention--ignored masked-attention--empty masked-attention--gradients masked-attention--inputs
# told: the mask
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    seen = mask.any(dim=-2).unsqueeze(-1)
    return weights @ (V * seen), weights
