# wrong: the gain as it was
# loses: bug--carried-over
# told: gain as it was
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return gain * centred / (variance + eps).sqrt() + bias


def carried_over(gain):
    return gain
