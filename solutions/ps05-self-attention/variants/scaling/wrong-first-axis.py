# wrong: len(Q) is the number of queries, or of sequences
# loses: scaling--by-hand scaling--values scaling--variance
# told: scores|variance
def scaled_scores(Q, K):
    return Q @ K.transpose(-2, -1) / math.sqrt(len(Q))


def unit_factor(d_k, sigma_q, sigma_k):
    return 1 / (sigma_q * sigma_k * math.sqrt(d_k))
