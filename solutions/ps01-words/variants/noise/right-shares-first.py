# right: the power of the shares; where instead of clamp
def noise_distribution(counts, power=0.75):
    share = counts / counts.sum()
    return share.pow(power) / share.pow(power).sum()


def keep_probability(counts, t):
    limit = t * counts.sum()
    frequent = counts > limit
    return torch.where(frequent, (limit / counts) ** 0.5, 1.0)
