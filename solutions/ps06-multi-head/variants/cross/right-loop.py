# right: a loop over the heads
def cross_attention(X, C, W_Q, W_K, W_V, W_O):
    parts = []
    for q, k, v, o in zip(W_Q, W_K, W_V, W_O):
        scores = (X @ q) @ (C @ k).transpose(1, 2) / q.shape[1] ** 0.5
        parts.append(scores.softmax(dim=2) @ (C @ v) @ o)
    return sum(parts), torch.stack(parts, dim=1)
