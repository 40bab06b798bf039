# wrong: the published code as it was
# loses: bug--spread bug--epsilon bug--alike
# told: two slips at once
def mended_norm(x, gain, bias, eps=1e-6):
    return published_norm(x, gain, bias, eps)


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
