# wrong: divides the positions themselves
# loses: sinusoids--inputs
# told: changes its input positions
def sinusoids(positions, d, base=10000.0):
    codes = positions.new_zeros(len(positions), d)
    for i in range(d // 2):
        codes[:, 2 * i] = positions.sin()
        codes[:, 2 * i + 1] = positions.cos()
        positions /= base ** (2 / d)
    return codes


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
