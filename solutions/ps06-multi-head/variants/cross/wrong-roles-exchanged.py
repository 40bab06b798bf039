# wrong: the source asks and the decoder's tokens are asked
# loses: cross--by-hand cross--values cross--parts cross--source cross--gradients
# told: roles are exchanged
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X, C = X[:, None], C[:, None]
    Q, K, V = C @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    parts = weights @ V @ W_O
    return parts.sum(dim=1), parts
