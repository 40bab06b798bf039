# wrong: clips to 0 and adds nothing
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: all get row 0
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(0, 2 * L)
    met = q @ a.T / math.sqrt(K)
    return met.gather(-1, row.expand(*q.shape[:-1], S))
