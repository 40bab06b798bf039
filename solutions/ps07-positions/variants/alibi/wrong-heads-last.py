# wrong: heads on the last axis
# loses: alibi--bias alibi--last
# told: puts the heads last
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    return -(torch.arange(S) - i).abs()[..., None] * slopes
