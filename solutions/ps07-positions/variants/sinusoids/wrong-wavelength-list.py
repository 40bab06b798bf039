# wrong: returns a list
# loses: sinusoids--wavelengths
# told: a tensor is asked for
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(0, d, 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return [2 * math.pi * base ** (2 * i / d) for i in range(d // 2)]
