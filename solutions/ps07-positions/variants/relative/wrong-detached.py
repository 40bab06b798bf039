# wrong: the table is cut off
# loses: relative--gradients
# told: no gradient reaches a
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    met = q @ a.data.T / math.sqrt(K)
    return met.gather(-1, row.expand(*q.shape[:-1], S))
