# wrong: the usual factor whatever the spread
# loses: scaling--factor
# told: does not change with the standard deviations
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / math.sqrt(d_k)
