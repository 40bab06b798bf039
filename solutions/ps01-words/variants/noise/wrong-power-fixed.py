# wrong: ignores the power
# loses: noise--values
# told: the power is an input
def noise_distribution(counts, power=0.75):
    flat = counts**0.75
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt().clamp(max=1.0)
