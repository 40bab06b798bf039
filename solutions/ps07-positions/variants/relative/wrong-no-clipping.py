# wrong: no clipping, so rows are missing
# loses: relative--by-hand relative--clipping relative--last relative--gradients
# told: index 3 is out of bounds
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    i = torch.arange(S - T, S)[:, None]
    row = torch.arange(S) - i + len(a) // 2
    return torch.einsum("...tk,tsk->...ts", q, a[row]) / math.sqrt(K)
