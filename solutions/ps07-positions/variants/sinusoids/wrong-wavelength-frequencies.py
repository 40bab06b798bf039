# wrong: returns frequencies
# loses: sinusoids--wavelengths
# told: these are the frequencies
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return base ** (-torch.arange(0, d, 2) / d)
