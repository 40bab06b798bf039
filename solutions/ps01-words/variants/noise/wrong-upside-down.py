# wrong: the share over the threshold
# loses: noise--kept noise--never-seen noise--inputs
# told: changed places
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (share / t).sqrt().clamp(max=1.0)
