# right: the products once, picked row by row
def relative_bias(q, a, S):
    L, T = len(a) // 2, q.size(-2)
    met = torch.matmul(q, a.mT) * q.size(-1) ** -0.5
    out = []
    for t in range(T):
        offsets = torch.arange(S) - (S - T + t)
        out.append(met[..., t, :][..., (offsets + L).clamp(0, 2 * L)])
    return torch.stack(out, dim=-2)
