# wrong: the deviation under the root
# loses: bug--spread bug--epsilon bug--alike
# told: as one of the lectures has it
def mended_norm(x, gain, bias, eps=1e-6):
    spread = x.std(dim=-1, correction=0, keepdim=True)
    return gain * (x - x.mean(dim=-1, keepdim=True)) / (spread + eps).sqrt() + bias


def carried_over(gain):
    return gain * (1 - 1 / len(gain)) ** 0.5
