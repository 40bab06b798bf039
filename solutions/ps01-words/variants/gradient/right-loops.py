# right: pair by pair, with a sigmoid of its own
def negative_sampling_gradients(w, v, negatives):
    B, N, _ = negatives.shape
    dw, dv, dn = torch.zeros_like(w), torch.zeros_like(v), torch.zeros_like(negatives)

    def sigmoid(s):
        return 1 / (1 + torch.exp(-s))

    for b in range(B):
        pull = -sigmoid(-(w[b] @ v[b])) / B
        dw[b] += pull * v[b]
        dv[b] = pull * w[b]
        for k in range(N):
            push = sigmoid(w[b] @ negatives[b, k]) / B
            dw[b] += push * negatives[b, k]
            dn[b, k] = push * w[b]
    return [dw, dv, dn]
