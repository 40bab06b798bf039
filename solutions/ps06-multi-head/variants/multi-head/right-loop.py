# right: a loop over the heads, each with its own columns
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    k, v = W_Q.shape[1] // heads, W_V.shape[1] // heads
    found, looked = [], []
    for h in range(heads):
        Q = X @ W_Q[:, h * k : (h + 1) * k]
        K = X @ W_K[:, h * k : (h + 1) * k]
        V = X @ W_V[:, h * v : (h + 1) * v]
        weights = torch.softmax(Q @ K.transpose(1, 2) / k**0.5, dim=2)
        found.append(weights @ V)
        looked.append(weights)
    return torch.cat(found, dim=2) @ W_O, torch.stack(looked, dim=1)
