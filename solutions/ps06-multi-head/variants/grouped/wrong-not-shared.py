# wrong: expects as many groups as heads
# loses: grouped--by-hand grouped--values grouped--ends grouped--gradients
# told: stops with RuntimeError
def grouped_attention(Q, K, V):
    H, G = Q.shape[1], K.shape[1]
    pass
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def pooled(W, heads, groups):
    D = len(W)
    return W.view(D, groups, heads // groups, -1).mean(2).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * S * groups * (d_k + d_v)
