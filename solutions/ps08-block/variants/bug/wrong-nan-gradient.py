# wrong: a root that is squared again
# loses: bug--alike
# told: infinite slope
def mended_norm(x, gain, bias, eps=1e-6):
    centred = x - x.mean(dim=-1, keepdim=True)
    sigma = centred.square().mean(dim=-1, keepdim=True).sqrt()
    return gain * centred / (sigma.square() + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
