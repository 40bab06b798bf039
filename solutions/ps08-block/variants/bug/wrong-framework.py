# wrong: calls the framework's norm
# loses: bug--spread bug--epsilon bug--alike
# told: by hand
def mended_norm(x, gain, bias, eps=1e-6):
    return torch.layer_norm(x, (x.shape[-1],), gain, bias, eps)


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
