# right: frequencies by exp and log, even and odd columns filled in
def sinusoids(positions, d, base=10000.0):
    theta = torch.exp(torch.arange(0, d, 2, dtype=positions.dtype) * (-math.log(base) / d))
    codes = positions.new_empty(positions.shape[0], d)
    codes[:, 0::2] = torch.sin(torch.outer(positions, theta))
    codes[:, 1::2] = torch.cos(torch.outer(positions, theta))
    return codes


def wavelengths(d, base=10000.0):
    i = torch.arange(d // 2, dtype=torch.float64)
    return math.tau * torch.exp(2 * i / d * math.log(base))
