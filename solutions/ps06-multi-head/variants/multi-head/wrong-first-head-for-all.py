# wrong: all heads take the columns of the first
# loses: multi-head--by-hand multi-head--values multi-head--heads multi-head--gradients multi-head--order multi-head--batch
# told: ^All your heads take the first head's W_Q, W_K and W_V
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    k, v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    Q, K, V = X @ W_Q[:, :k], X @ W_K[:, :k], X @ W_V[:, :v]
    weights = (Q @ K.mT / math.sqrt(k)).softmax(dim=-1)
    out = torch.cat([weights @ V] * heads, dim=-1)
    return out @ W_O, torch.stack([weights] * heads, dim=1)
