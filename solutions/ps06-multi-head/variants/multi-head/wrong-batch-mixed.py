# wrong: folds the heads beside the batch the wrong way round
# loses: multi-head--values multi-head--heads multi-head--batch multi-head--gradients multi-head--by-hand multi-head--order
# told: sequence 0 in a batch: wrong
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, _ = X.shape

    def fold(W):
        return torch.cat((X @ W).chunk(heads, dim=2), dim=0)

    q, k, v = fold(W_Q), fold(W_K), fold(W_V)
    weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(dim=-1)
    out = (weights @ v).view(B, heads, T, -1).transpose(1, 2)
    return out.reshape(B, T, -1) @ W_O, weights.view(B, heads, T, T)
