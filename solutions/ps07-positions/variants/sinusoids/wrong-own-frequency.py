# wrong: each column has a frequency of its own
# loses: sinusoids--by-hand sinusoids--values sinusoids--precision sinusoids--inputs
# told: share one frequency
def sinusoids(positions, d, base=10000.0):
    column = torch.arange(d, dtype=positions.dtype)
    angles = positions[:, None] / base ** (column / d)
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
