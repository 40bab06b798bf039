# right: all vectors spread out, einsum
def relative_bias(q, a, S):
    T, K = q.shape[-2], q.shape[-1]
    L = (a.shape[0] - 1) // 2
    i, j = torch.arange(S)[-T:], torch.arange(S)
    vectors = a[torch.clamp(j - i[:, None], min=-L, max=L) + L]
    return torch.einsum("...tk,tsk->...ts", q / K**0.5, vectors)
