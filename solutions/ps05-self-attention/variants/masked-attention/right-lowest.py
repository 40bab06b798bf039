# right: masked_fill with a finite lowest number, weights multiplied by the mask
def masked_attention(Q, K, V, mask):
    scores = torch.einsum("...td,...sd->...ts", Q, K) / Q.size(-1) ** 0.5
    scores = scores.masked_fill(mask.logical_not(), torch.finfo(Q.dtype).min)
    weights = scores.softmax(-1) * mask
    return weights @ V, weights
