# wrong: lets the last exponent be 1, as some libraries do
# loses: sinusoids--by-hand sinusoids--values sinusoids--precision sinusoids--inputs
# told: exactly 1 in the last pair
def sinusoids(positions, d, base=10000.0):
    i = torch.arange(d // 2, dtype=positions.dtype)
    angles = positions[:, None] / base ** (i / max(d // 2 - 1, 1))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
