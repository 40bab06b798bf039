# wrong: forgets the 2π
# loses: sinusoids--wavelengths
# told: 2π is missing
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return base ** (torch.arange(0, d, 2) / d)
