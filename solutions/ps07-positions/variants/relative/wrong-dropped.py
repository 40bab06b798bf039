# wrong: nothing beyond L
# loses: relative--by-hand relative--clipping relative--last relative--gradients
# told: further than L no bias
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    offset = torch.arange(S) - i
    row = offset.clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    bias = met.gather(-1, row.expand(*q.shape[:-1], S))
    return torch.where(offset.abs() <= L, bias, 0.0)
