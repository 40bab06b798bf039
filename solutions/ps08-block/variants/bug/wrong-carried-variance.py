# wrong: the ratio of the variances
# loses: bug--carried-over
# told: ratio of the variances
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return gain * centred / (variance + eps).sqrt() + bias


def carried_over(gain):
    D = len(gain)
    return gain * (D - 1) / D
