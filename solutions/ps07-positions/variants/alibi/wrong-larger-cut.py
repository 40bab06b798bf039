# wrong: the first slopes of the next larger power
# loses: alibi--others
# told: you take the first slopes of 8 heads
def alibi_slopes(H):
    P = 2 ** math.ceil(math.log2(H))
    return torch.tensor([2 ** (-8 * h / P) for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
