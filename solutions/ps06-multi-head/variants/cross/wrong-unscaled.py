# wrong: not scaled
# loses: cross--by-hand cross--values cross--gradients cross--parts cross--source
# told: not scaled
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X, C = X[:, None], C[:, None]
    Q, K, V = X @ W_Q, C @ W_K, C @ W_V
    scores = Q @ K.mT
    weights = scores.softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts.sum(dim=1), parts
