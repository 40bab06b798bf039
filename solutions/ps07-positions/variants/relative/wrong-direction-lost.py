# wrong: distances instead of offsets
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: tells no direction
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).abs().clamp(max=L) + L
    met = q @ a.T / math.sqrt(K)
    return met.gather(-1, row.expand(*q.shape[:-1], S))
