# wrong: counts the pairs from 1
# loses: sinusoids--by-hand sinusoids--values sinusoids--precision sinusoids--inputs
# told: counted from i = 0
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(1, d // 2 + 1, dtype=positions.dtype)
    angles = positions[:, None] / base ** (2 * i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
