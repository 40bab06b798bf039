# wrong: gives the slopes their sign where they are
# loses: alibi--bias
# told: `alibi_bias` changes its input slopes
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    slopes *= -1
    i = torch.arange(S - T, S)[:, None]
    return slopes[:, None, None] * (torch.arange(S) - i).abs()
