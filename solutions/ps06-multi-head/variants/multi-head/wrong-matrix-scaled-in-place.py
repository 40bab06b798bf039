# wrong: divides W_Q in place
# loses: multi-head--batch
# told: changes its input W_Q
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    W_Q /= math.sqrt(W_Q.shape[-1] // heads)
    Q, K, V = (
        (X @ W).view(B, T, heads, -1).transpose(1, 2)
        for W in (W_Q, W_K, W_V)
    )
    weights = (Q @ K.mT).softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights
