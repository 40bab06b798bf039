# right: the heads folded into the batch axis, bmm
def multi_head(X, W_Q, W_K, W_V, W_O, heads):
    B, T, _ = X.shape

    def fold(W):
        parts = (X @ W).chunk(heads, dim=2)
        return torch.stack(parts, dim=1).reshape(B * heads, T, -1)

    q, k, v = fold(W_Q), fold(W_K), fold(W_V)
    scores = torch.bmm(q, k.transpose(1, 2)).div(math.sqrt(q.size(2)))
    weights = nn.functional.softmax(scores, dim=2)
    out = torch.bmm(weights, v).view(B, heads, T, -1)
    out = torch.cat([out[:, h] for h in range(heads)], dim=-1)
    return torch.matmul(out, W_O), weights.view(B, heads, T, T)
