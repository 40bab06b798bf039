# right: all deltas first, then products
def through_time(x, W, U, b, G):
    T, n = G.shape
    h = x.new_zeros(T + 1, n)
    for t in range(T):
        h[t + 1] = torch.tanh(x[t] @ W + h[t] @ U + b)
    delta = x.new_zeros(T + 1, n)
    for t in range(T - 1, -1, -1):
        delta[t] = (G[t] + U @ delta[t + 1]) * (1 - h[t + 1] ** 2)
    delta = delta[:T]
    return delta @ W.T, x.T @ delta, h[:T].T @ delta, delta.sum(dim=0)
