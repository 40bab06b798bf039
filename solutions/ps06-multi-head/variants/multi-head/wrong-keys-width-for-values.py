# wrong: takes the values to be as wide as the keys
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--order multi-head--gradients multi-head--batch
# told: '\[1, 2, 2, 4\]' is invalid for input
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = (
        (X @ W).view(B, T, heads, W_Q.shape[1] // heads).transpose(1, 2)
        for W in (W_Q, W_K, W_V)
    )
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights
