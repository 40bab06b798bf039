# wrong: hides later keys as well
# loses: alibi--bias alibi--last
# told: the mask's job
def alibi_slopes(H):
    P = 2 ** int(math.log2(H))
    slopes = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    between = [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)]
    return torch.tensor(slopes + between[: H - P])


def alibi_bias(slopes, T, S):
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance.abs()
    return bias.masked_fill(distance < 0, -math.inf)
