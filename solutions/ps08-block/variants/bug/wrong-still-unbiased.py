# wrong: eps is mended, the variance is still divided by D - 1
# loses: bug--spread bug--epsilon bug--alike
# told: by D - 1. Divide by D
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
