# wrong: 1/2, 1/4, 1/8 for any number of heads
# loses: alibi--powers alibi--others
# told: whatever the number of heads
def alibi_slopes(H):
    return torch.tensor([2.0**-h for h in range(1, H + 1)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
