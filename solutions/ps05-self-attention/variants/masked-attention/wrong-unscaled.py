# wrong: not scaled
# loses: masked-attention--by-hand masked-attention--values masked-attention--empty masked-attention--gradients masked-attention--ignored masked-attention--inputs
# told: not scaled
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights
