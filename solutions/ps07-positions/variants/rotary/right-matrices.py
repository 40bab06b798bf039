# right: a matrix for each position; halves through a permutation
def rotary(x, positions, theta, pairing="interleaved"):
    K = x.shape[-1]
    turned = []
    order = torch.arange(K)
    if pairing == "halves":
        order = order.view(2, -1).T.flatten()
    for t, position in enumerate(positions.tolist()):
        matrix = torch.zeros(K, K, dtype=x.dtype)
        for i, angle in enumerate((position * theta).tolist()):
            a, b = order[2 * i], order[2 * i + 1]
            matrix[a, a] = matrix[b, b] = math.cos(angle)
            matrix[a, b], matrix[b, a] = math.sin(angle), -math.sin(angle)
        turned.append(x[..., t, :] @ matrix)
    return torch.stack(turned, dim=-2)


def to_halves(W, heads):
    D = W.shape[0]
    return W.reshape(D, heads, -1, 2).transpose(2, 3).reshape(D, -1)
