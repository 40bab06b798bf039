# right: score by score
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    rows = []
    for t in range(T):
        place = S - T + t
        bias = [(q[..., t, :] * a[max(-L, min(L, s - place)) + L]).sum(-1) for s in range(S)]
        rows.append(torch.stack(bias, dim=-1))
    return torch.stack(rows, dim=-2) / math.sqrt(K)
