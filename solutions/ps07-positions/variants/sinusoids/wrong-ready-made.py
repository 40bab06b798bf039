# wrong: calls the course's own
# loses: sinusoids--by-hand sinusoids--values sinusoids--precision sinusoids--inputs
# told: writes by hand
def sinusoids(positions, d, base=10000.0):
    from tfcourse.positions import SinusoidalPositions

    return SinusoidalPositions(d, base).table(positions, positions.dtype)


def wavelengths(d, base=10000.0):
    return 2 * math.pi * base ** (torch.arange(0, d, 2) / d)
