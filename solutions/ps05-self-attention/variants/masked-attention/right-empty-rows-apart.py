# right: -inf, with the empty rows opened before and closed after the softmax
def masked_attention(Q, K, V, mask):
    some = mask.any(dim=-1, keepdim=True)
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    scores = scores.masked_fill(~(mask | ~some), float("-inf"))
    weights = torch.where(some, scores.softmax(dim=-1), torch.zeros_like(scores))
    return weights @ V, weights
