# wrong: divides X in place
# loses: cross--by-hand
# told: changes its input X
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    X /= math.sqrt(W_Q.shape[-1])
    Q, K, V = (
        x[:, None] @ W for x, W in ((X, W_Q), (C, W_K), (C, W_V))
    )
    parts = (Q @ K.mT).softmax(dim=-1) @ V @ W_O
    return parts.sum(dim=1), parts
