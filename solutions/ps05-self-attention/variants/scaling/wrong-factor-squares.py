# wrong: spreads squared under no root
# loses: scaling--factor
# told: the factor for 9, 2, 1
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / (sigma_q**2 * sigma_k**2 * math.sqrt(d_k))
