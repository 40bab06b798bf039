# right: the hands of the clocks as complex numbers
def sinusoids(positions, d, base=10000.0):
    theta = base ** (-torch.arange(0, d, 2, dtype=positions.dtype) / d)
    angle = positions[:, None] * theta
    hands = torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(hands).flip(-1).reshape(len(positions), d)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
