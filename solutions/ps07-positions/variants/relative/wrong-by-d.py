# wrong: divides by d_k
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: it is its square root
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    met = q @ a.T / K
    return met.gather(-1, row.expand(*q.shape[:-1], S))
