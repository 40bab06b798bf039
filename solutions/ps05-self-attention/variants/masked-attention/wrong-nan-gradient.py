# wrong: NaN is mended in the output, and lives on in the gradient
# loses: masked-attention--gradients
# told: 0 · NaN is NaN
def masked_attention(Q, K, V, mask):
    hide = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -math.inf)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1]) + hide
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    return weights @ V, weights
