# wrong: scaled by the root of the number of heads
# loses: multi-head--by-hand multi-head--values multi-head--gradients
# told: is the number of heads\.
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = (
        (X @ W).view(B, T, heads, -1).transpose(1, 2)
        for W in (W_Q, W_K, W_V)
    )
    scores = Q @ K.mT / math.sqrt(heads)
    weights = scores.softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights
