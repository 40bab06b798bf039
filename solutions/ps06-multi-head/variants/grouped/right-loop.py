# right: a loop over the heads
def grouped_attention(Q, K, V):
    H, G = Q.shape[1], K.shape[1]
    outputs, weights = [], []
    for h in range(H):
        g = h * G // H
        scores = Q[:, h] @ K[:, g].transpose(1, 2) * Q.shape[-1] ** -0.5
        weights.append(torch.softmax(scores, dim=2))
        outputs.append(weights[h] @ V[:, g])
    return torch.stack(outputs, dim=1), torch.stack(weights, dim=1)


def pooled(W, heads, groups):
    K, each = W.shape[1] // heads, heads // groups
    out = torch.zeros(len(W), groups * K, dtype=W.dtype)
    for h in range(heads):
        g = h // each
        out[:, g * K : (g + 1) * K] += W[:, h * K : (h + 1) * K] / each
    return out


def numbers_kept(B, S, groups, d_k, d_v):
    keys, values = (B, groups, S, d_k), (B, groups, S, d_v)
    return math.prod(keys) + math.prod(values)
