# wrong: scales the queries where they are
# loses: relative--inputs
# told: changes its input q
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    q /= math.sqrt(K)
    met = q @ a.T
    return met.gather(-1, row.expand(*q.shape[:-1], S))
