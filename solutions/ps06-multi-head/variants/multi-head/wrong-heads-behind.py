# wrong: attends among the heads of one token
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--batch multi-head--gradients multi-head--order
# told: heads of one token look at each other
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = (
        (X @ W).view(B, T, heads, -1)
        for W in (W_Q, W_K, W_V)
    )
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    out = (weights @ V).reshape(B, T, -1)
    return out @ W_O, weights
