# wrong: takes the first sequence's mask for the whole batch
# loses: masked-attention--values masked-attention--empty masked-attention--gradients masked-attention--by-hand masked-attention--ignored masked-attention--inputs
# told: the weights|the output
def masked_attention(Q, K, V, mask):
    while mask.ndim > 2:
        mask = mask[0]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return weights @ V, weights
