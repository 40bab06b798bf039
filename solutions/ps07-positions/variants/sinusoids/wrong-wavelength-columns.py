# wrong: one for each column
# loses: sinusoids--wavelengths
# told: shape \(6,\), it must be \(3,\)
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    column = torch.arange(d)
    return 2 * math.pi * base ** ((column - column % 2) / d)
