# wrong: i - j
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: offsets are i - j
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (i - torch.arange(S)).clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    return met.gather(-1, row.expand(*q.shape[:-1], S))
