# wrong: frequencies of 32 bits
# loses: sinusoids--values sinusoids--precision sinusoids--by-hand sinusoids--inputs
# told: as numbers of 32 bits are
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
