# wrong: as many queries as keys, always
# loses: alibi--last
# told: shape \(1, 4, 4\), it must be \(1, 2, 4\)
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    i = torch.arange(S)
    return -slopes[:, None, None] * (i[:, None] - i).abs()
