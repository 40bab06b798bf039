# wrong: forgets the power
# loses: alibi--powers alibi--others
# told: those are the exponents
def alibi_slopes(H):
    return torch.tensor([-8 * h / H for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
