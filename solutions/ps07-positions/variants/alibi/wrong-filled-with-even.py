# wrong: fills up with those that are there already
# loses: alibi--others
# told: once more
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(2, 2 * P + 1, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
