# wrong: divides by d_k instead of its square root
# loses: scaling--by-hand scaling--values scaling--variance
# told: divided by d_k = \d
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / Q.shape[-1]


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / (sigma_q * sigma_k * math.sqrt(d_k))
