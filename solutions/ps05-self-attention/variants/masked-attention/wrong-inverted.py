# wrong: hides what may be attended to
# loses: masked-attention--by-hand masked-attention--values masked-attention--ignored masked-attention--empty masked-attention--gradients masked-attention--inputs
# told: the wrong way round
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(mask, 0.0)
    return weights @ V, weights
