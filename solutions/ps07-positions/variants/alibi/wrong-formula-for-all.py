# wrong: the formula for any number of heads
# loses: alibi--others
# told: you take 2.+all the same
def alibi_slopes(H):
    return torch.tensor([2 ** (-8 * h / H) for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
