# wrong: h counts from 0
# loses: alibi--powers alibi--others
# told: h counts from 1
def alibi_slopes(H):
    return torch.tensor([2 ** (-8 * h / H) for h in range(H)])


def alibi_bias(slopes, T, S):
    i = torch.arange(S - T, S)[:, None]
    j = torch.arange(S)
    return -slopes[:, None, None] * (i - j).abs()
