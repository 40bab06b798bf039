# wrong: keys beyond L hidden
# loses: relative--by-hand relative--clipping relative--last relative--gradients
# told: hides keys further than L
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    offset = torch.arange(S) - i
    row = offset.clamp(-L, L) + L
    met = q @ a.T / math.sqrt(K)
    bias = met.gather(-1, row.expand(*q.shape[:-1], S))
    return bias.masked_fill(offset.abs() > L, -math.inf)
