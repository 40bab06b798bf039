# wrong: not cut off at 1
# loses: noise--kept noise--never-seen noise--inputs
# told: above 1: cut it off
def noise_distribution(counts, power=0.75):
    flat = counts**power
    return flat / flat.sum()


def keep_probability(counts, t):
    share = counts / counts.sum()
    return (t / share).sqrt()
