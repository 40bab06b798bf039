# wrong: negative rows count from the end
# loses: relative--by-hand relative--values relative--clipping relative--last relative--gradients relative--inputs
# told: negative ones from the end
def relative_bias(q, a, S):
    T, K = q.shape[-2:]
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L)
    return torch.einsum("...tk,tsk->...ts", q, a[row]) / math.sqrt(K)
