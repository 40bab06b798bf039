# wrong: a queries' axis too many in the product
# loses: relative--values relative--clipping relative--last relative--gradients relative--inputs relative--by-hand
# told: too many values to unpack
def relative_bias(q, a, S):
    T, K = q.shape
    L = len(a) // 2
    i = torch.arange(S - T, S)[:, None]
    row = (torch.arange(S) - i).clamp(-L, L) + L
    return (q @ a.T / math.sqrt(K)).gather(1, row)
