# wrong: the variance is mended, eps stays outside
# loses: bug--epsilon bug--alike
# told: outside the root
def mended_norm(x, gain, bias, eps=1e-6):
    spread = x.std(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (spread + eps) + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
