# right: derivatives carried forwards, step by step
def through_time(x, W, U, b, G):
    """Real-time recurrent learning: d h_t by every number."""
    T, n = G.shape
    inputs = [x, W, U, b]
    sizes = [v.numel() for v in inputs]
    J = x.new_zeros(sum(sizes), n)
    total = x.new_zeros(sum(sizes))
    h = x.new_zeros(n)
    d = x.shape[1]
    for t in range(T):
        direct = x.new_zeros(sum(sizes), n)
        direct[t * d : (t + 1) * d] = W
        at = sizes[0]
        for j in range(d):
            for k in range(n):
                direct[at + j * n + k, k] = x[t, j]
        at += sizes[1]
        for j in range(n):
            for k in range(n):
                direct[at + j * n + k, k] = h[j]
        at += sizes[2]
        direct[at:] = torch.eye(n, dtype=x.dtype)
        new = torch.tanh(x[t] @ W + h @ U + b)
        J = (direct + J @ U) * (1 - new**2)
        h = new
        total = total + J @ G[t]
    return [part.view_as(v) for part, v in zip(total.split(sizes), inputs)]
