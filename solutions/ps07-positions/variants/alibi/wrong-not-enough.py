# wrong: the slopes of the power below alone
# loses: alibi--others
# told: shape \(4,\), it must be \(6,\)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    return torch.tensor([2 ** (-8 * h / P) for h in range(1, P + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
