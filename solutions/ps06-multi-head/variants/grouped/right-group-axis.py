# right: an axis for the groups, nothing repeated
def grouped_attention(Q, K, V):
    B, H, T, _ = Q.shape
    Q = Q.unflatten(1, (K.shape[1], -1))
    scores = Q @ K[:, :, None].mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    return (weights @ V[:, :, None]).flatten(1, 2), weights.flatten(1, 2)


def pooled(W, heads, groups):
    stacked = torch.stack(W.chunk(heads, dim=1))
    by_group = stacked.chunk(groups)
    return torch.cat([group.mean(dim=0) for group in by_group], dim=1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * groups * S * d_k + B * groups * S * d_v
