# wrong: changes the trained gain in place
# loses: bug--carried-over
# told: changes its input gain
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + bias


def carried_over(gain):
    gain *= (1 - 1 / len(gain)) ** 0.5
    return gain
