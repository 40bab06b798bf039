# wrong: the output is the first head's part
# loses: cross--by-hand cross--values cross--parts cross--gradients cross--source
# told: first head adds, alone
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X, C = X[:, None], C[:, None]
    Q, K, V = X @ W_Q, C @ W_K, C @ W_V
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts[:, 0], parts
