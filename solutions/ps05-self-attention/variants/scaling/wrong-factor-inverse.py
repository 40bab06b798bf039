# wrong: grows with the spread
# loses: scaling--factor
# told: must become smaller, not larger
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])


def unit_factor(d_k, sigma_q, sigma_k):
    return sigma_q * sigma_k / math.sqrt(d_k)
