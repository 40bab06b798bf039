# wrong: carried over the wrong way round
# loses: bug--carried-over
# told: turned round
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return gain * centred / (variance + eps).sqrt() + bias


def carried_over(gain):
    D = len(gain)
    return gain * (D / (D - 1)) ** 0.5
