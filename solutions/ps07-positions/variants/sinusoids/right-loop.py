# right: one number after the other
def sinusoids(positions, d, base=10000.0):
    codes = torch.zeros(len(positions), d, dtype=positions.dtype)
    for n, position in enumerate(positions):
        for i in range(d // 2):
            angle = position / base ** (2 * i / d)
            codes[n, 2 * i] = torch.sin(angle)
            codes[n, 2 * i + 1] = torch.cos(angle)
    return codes


def wavelengths(d, base=10000.0):
    return torch.tensor([2 * math.pi * base ** (2 * i / d) for i in range(d // 2)])
