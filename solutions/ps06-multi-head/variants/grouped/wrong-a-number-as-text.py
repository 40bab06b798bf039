# wrong: gives text back
# loses: grouped--cache
# told: a number is asked for, a str
def grouped_attention(Q, K, V):
    H, G = Q.shape[1], K.shape[1]
    K = K.repeat_interleave(H // G, dim=1)
    V = V.repeat_interleave(H // G, dim=1)
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def pooled(W, heads, groups):
    D = len(W)
    return W.view(D, groups, heads // groups, -1).mean(2).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    return str(B * S * groups * (d_k + d_v))
