# wrong: one softmax for all heads
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--batch multi-head--gradients multi-head--order
# told: ^Your heads see each other
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    d_k = W_Q.shape[1] // heads
    weights = (Q @ K.mT / math.sqrt(d_k)).softmax(dim=-1)
    return weights @ V @ W_O, weights
