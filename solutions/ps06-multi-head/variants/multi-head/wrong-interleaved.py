# wrong: every H-th column for a head
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--gradients multi-head--order multi-head--batch
# told: every H-th column
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, D = X.shape
    Q, K, V = (
        (X @ W).view(B, T, -1, heads).permute(0, 3, 1, 2)
        for W in (W_Q, W_K, W_V)
    )
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    weights = scores.softmax(dim=-1)
    out = (weights @ V).transpose(1, 2).reshape(B, T, -1)
    return out @ W_O, weights
