# wrong: multiplies by the transpose of W_O
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--order multi-head--gradients multi-head--batch
# told: cannot be multiplied \(2x4 and 3x4\)
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = (
        (X @ W).view(B, T, heads, -1).transpose(1, 2)
        for W in (W_Q, W_K, W_V)
    )
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O.T, weights
