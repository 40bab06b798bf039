# wrong: the probability to be dropped
# loses: noise--kept noise--never-seen noise--inputs
# told: to be dropped
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (1 - (t / share).sqrt()).clamp(min=0)
