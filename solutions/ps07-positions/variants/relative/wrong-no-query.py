# wrong: adds the vectors up without the query
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: query has no part
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    return (a[row].sum(-1) / math.sqrt(K)).expand(*q.shape[:-1], S)
