# wrong: from 2π to 10000 · 2π, both ends included
# loses: sinusoids--wavelengths
# told: exactly 2π · 64
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * torch.logspace(0, 1, d // 2, base=base)
