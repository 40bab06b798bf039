# wrong: divides the matrix in place before it adds the heads up
# loses: grouped--pooled
# told: changes its input W
def grouped_attention(Q, K, V):
    each = Q.shape[1] // K.shape[1]
    K, V = (x.repeat_interleave(each, dim=1) for x in (K, V))
    weights = (Q @ K.mT / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return weights @ V, weights


def pooled(W, heads, groups):
    each = heads // groups
    W /= each
    return W.view(len(W), groups, each, -1).sum(2).flatten(1)


def numbers_kept(B, S, groups, d_k, d_v):
    return B * S * groups * (d_k + d_v)
