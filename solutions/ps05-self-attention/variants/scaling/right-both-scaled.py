# right: queries and keys each divided by the fourth root, result a tensor
def scaled_scores(Q, K):
    root = Q.shape[-1] ** 0.25
    return (Q / root) @ (K / root).mT


def unit_factor(d_k, sigma_q, sigma_k):
    return torch.tensor(1 / (sigma_q * sigma_k) / d_k**0.5, dtype=torch.float64)
