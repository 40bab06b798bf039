# right: einsum, a power in place of the root
def scaled_scores(Q, K):
    return torch.einsum("...td,...sd->...ts", Q, K) * K.size(-1) ** -0.5


def unit_factor(d_k, sigma_q, sigma_k):
    variance = d_k * sigma_q**2 * sigma_k**2
    return variance**-0.5
