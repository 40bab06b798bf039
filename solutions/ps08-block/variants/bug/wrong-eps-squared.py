# wrong: squares eps to keep its unit
# loses: bug--epsilon bug--alike
# told: it is ε itself
def mended_norm(x, gain, bias, eps=1e-6):
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (variance + eps**2).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
