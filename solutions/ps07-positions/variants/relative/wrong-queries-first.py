# wrong: the queries are the first T
# loses: relative--last relative--gradients
# told: first query stands at position 0
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(T)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    return met.gather(-1, row.expand(*q.shape[:-1], S))
